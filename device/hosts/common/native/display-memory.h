/* The pictures behind display.h, and what the rest of the simulator does with them. */
#ifndef SVC_DISPLAY_MEMORY_H
#define SVC_DISPLAY_MEMORY_H

#include <stdint.h>

enum { DISPLAY_WIDTH = 240, DISPLAY_HEIGHT = 320, DISPLAY_PIXELS = DISPLAY_WIDTH * DISPLAY_HEIGHT };

/* As after power on: everything is black, and that is what is shown. */
void display_reset(void);

/* Copies what is shown, DISPLAY_PIXELS of it, all from between two flushes. From one thread at a time. */
void display_copy_shown(uint16_t *pixels);

#endif
