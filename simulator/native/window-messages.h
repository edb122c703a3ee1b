/*
 * What the console and its window (simulator/window) say to each other, over a socket that keeps messages whole
 * (SOCK_SEQPACKET). Both are programs of one build on one machine, so numbers have its byte order.
 */
#ifndef SVC_WINDOW_MESSAGES_H
#define SVC_WINDOW_MESSAGES_H

#include <stdint.h>

#include "display-memory.h"

/* Descriptor of the window's end. */
enum { WINDOW_SOCKET = 3 };

/* To the window: what the display shows. The next one is sent when the window has taken this one. */
typedef struct {
	uint32_t brightnessPercent;				/* of the light behind it: 0 (dark) to 100 */
	uint16_t pixels[DISPLAY_PIXELS];		/* RGB565 */
} WindowPicture;

typedef enum {
	WINDOW_BUTTONS,		/* these buttons are down, and no others */
	WINDOW_CLOSED,		/* the user has closed the window: the console's switch */
} WindowEventKind;

/* To the console. */
typedef struct {
	uint16_t kind;
	uint16_t buttons;		/* bits as in pins_buttons() */
} WindowEvent;

#endif
