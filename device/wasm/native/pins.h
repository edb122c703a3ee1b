/*
 * Pins and buttons as the app ABI sees them. Each host has its own behind it; apps call it on their own
 * threads, several at a time. Results are those of the ABI: below 0 are errors.
 */
#ifndef SVC_PINS_H
#define SVC_PINS_H

#include <stdbool.h>
#include <stdint.h>

/* Modes of a pin. At the start every pin is an input. */
enum { PINS_INPUT = 0, PINS_INPUT_PULL_UP = 1, PINS_INPUT_PULL_DOWN = 2, PINS_OUTPUT = 3 };

/* Level of a pin, 0 or 1; of an output, what it drives. -22: no such pin. */
int32_t pins_read(int32_t pin);

/* 0, or -22: no such pin or mode. A pin that becomes an output drives 0 until it is written. */
int32_t pins_mode(int32_t pin, int32_t mode);

/* 0; -22: no such pin, or a level other than 0 and 1; -1: the pin is not an output. */
int32_t pins_write(int32_t pin, int32_t level);

/* Millivolts at a pin. -22: no such pin; -1: the pin is not an input; -19: it has no converter; -5: the conversion failed. */
int32_t pins_millivolts(int32_t pin);

enum { PINS_PULSES_MIN_HZ = 10, PINS_PULSES_MAX_HZ = 40000, PINS_DUTY = 65535 };

/*
 * Makes the pin an output with that many pulses a second, high for `duty` of PINS_DUTY parts of each, until `pins_mode`.
 * 0; -22: no such pin, frequency or duty; -28: as many pins as possible have pulses; -19: the console makes none.
 */
int32_t pins_pulse(int32_t pin, int32_t hz, int32_t duty);

/*
 * Buttons that are down, a bit each from bit 0: up, down, left, right, A, B, X, Y, start, select. `ofOwner`: those alone that
 * whoever holds the console presses, or its owner from elsewhere: no stranger on the network.
 */
int32_t pins_buttons(bool ofOwner);

/* Of these, the ones that have gone down, or up, since the last call of the same function: each change is told once. */
int32_t pins_take_pressed(bool ofOwner);
int32_t pins_take_released(bool ofOwner);

/*
 * The buttons that are down now were pressed for another app: they count as up until they have been released, and what has
 * gone down and up so far is not told.
 */
void pins_hold_back_buttons(void);

#endif
