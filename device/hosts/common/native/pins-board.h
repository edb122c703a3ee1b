/* Functions over the pins of pins.h for the rest of the host. */
#ifndef SVC_PINS_BOARD_H
#define SVC_PINS_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum { BUTTON_COUNT = 10, EVERY_BUTTON = (1 << BUTTON_COUNT) - 1 };

/* As after power on: every pin is an input, no button is pressed. */
void pins_reset(void);

/*
 * Gives pins of the apps to a peripheral of the board: makes them inputs, without pulses, and calls `take`, after which
 * `pins_wiring_is_free` denies them. Apps change no pin meanwhile. Returns what `take` returns.
 */
int32_t pins_hand_over(const int *handed, int count, int32_t (*take)(void));

/* The buttons may have changed: notes what has gone down and up. From any thread. */
void pins_look(void);

/* Buttons that are down, those that an app does not see included. */
int32_t pins_pressed(void);

/* Of those, the ones that whoever holds the console presses, or its owner from elsewhere. */
int32_t pins_owner_pressed(void);

/* Holds back the buttons that are down now, and as long as `holdsAll` every one that goes down. */
void pins_hold_all_back(bool holdsAll);

/* Buttons that lead home when they are pressed together: then no app sees them. 0: none. */
void pins_reserve_chord(int32_t buttons);

/* Presses exactly these buttons until the next call. `isOwner`: for the console's owner, whose presses alone count at home */
void pins_press(int32_t buttons, bool isOwner);

#endif
