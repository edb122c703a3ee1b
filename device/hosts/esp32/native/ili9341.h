/*
 * The language of the display's controller, ILI9341, without the wires: what is sent to it, as a list of commands. A
 * command is a byte with the data line low, and parameters follow with it high.
 */
#ifndef SVC_ILI9341_H
#define SVC_ILI9341_H

#include <stdint.h>

typedef struct {
	uint8_t code;
	uint8_t length;				/* of the parameters */
	uint8_t parameters[15];
	uint8_t pauseMs;			/* to be waited for after it */
} Ili9341Command;

enum { ILI9341_WRITE_PIXELS = 0x2C, ILI9341_WINDOW_COMMANDS = 2 };

/* From a reset to a picture that is shown: 16 bits a pixel, 240 columns, 320 rows. A code of 0 ends it. */
extern const Ili9341Command ili9341Start[];

/* The rows, from `top` up to `bottom`, that the pixels after ILI9341_WRITE_PIXELS are for; columns are all. */
void ili9341_window(int top, int bottom, Ili9341Command commands[ILI9341_WINDOW_COMMANDS]);

/* Pixels as the controller takes them, the high byte first. */
void ili9341_pixels(const uint16_t *pixels, int count, uint8_t *bytes);

#endif
