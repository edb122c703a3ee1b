/* The pictures behind display.h, and access to them for the rest of a host. */
#ifndef SVC_DISPLAY_MEMORY_H
#define SVC_DISPLAY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { DISPLAY_WIDTH = 240, DISPLAY_HEIGHT = 320, DISPLAY_PIXELS = DISPLAY_WIDTH * DISPLAY_HEIGHT };

/*
 * Resets the display as after power on: the boot picture is shown, until the first app has drawn or no app is to be shown.
 * Call it before all other functions, and as early as a host can. The pictures are allocated once in the life of the
 * process, which ends if there is no memory for them.
 */
void display_reset(void);

/* Readers of the shown picture; each reads from one thread at a time. */
typedef enum { DISPLAY_SNAPSHOT, DISPLAY_PANEL, DISPLAY_READERS } DisplayReader;

/* The shown picture: DISPLAY_PIXELS pixels, all from between two flushes. It does not change until it is released. */
const uint16_t *display_acquire(DisplayReader reader);
void display_release(DisplayReader reader);

/* Copies the shown picture, for the snapshot. @param isOwner whether it may contain what an app conceals */
void display_copy_shown(uint16_t *pixels, bool isOwner);

/*
 * Calls back after each flush, on the thread that flushes, with the display locked: the callback must neither draw nor
 * wait.
 */
void display_on_shown(void (*callback)(void));

/* How bright the light behind the display is: 0 (dark) to 100, which it is at first. */
void display_set_brightness(int percent);
int display_brightness(void);

/* Calls back when the brightness is set. */
void display_on_brightness(void (*callback)(int percent));

#endif
