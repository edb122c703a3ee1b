/* The pictures behind display.h, and what the rest of a host does with them. */
#ifndef SVC_DISPLAY_MEMORY_H
#define SVC_DISPLAY_MEMORY_H

#include <stdint.h>

enum { DISPLAY_WIDTH = 240, DISPLAY_HEIGHT = 320, DISPLAY_PIXELS = DISPLAY_WIDTH * DISPLAY_HEIGHT };

/*
 * As after power on: everything is black, and that is what is shown. Belongs before everything else. The pictures are
 * allocated in the life of the process once; without memory for them it ends.
 */
void display_reset(void);

/* Who looks at what is shown: each from one thread at a time. */
typedef enum { DISPLAY_SNAPSHOT, DISPLAY_PANEL, DISPLAY_LOOKERS } DisplayLooker;

/* What is shown, DISPLAY_PIXELS of it, all from between two flushes. It stays as it is until it is let go. */
const uint16_t *display_look(DisplayLooker looker);
void display_let_go(DisplayLooker looker);

/* Copies what is shown, for the snapshot. */
void display_copy_shown(uint16_t *pixels);

/* Calls back after each flush, on the thread that flushes, with the display locked: it must neither draw nor wait. */
void display_on_shown(void (*callback)(void));

#endif
