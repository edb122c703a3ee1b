/*
 * The protocol of the display controller ILI9341, without the bus: a list of commands. A command is a byte with the
 * data line low, followed by parameters with the line high.
 */
#ifndef SVC_ILI9341_H
#define SVC_ILI9341_H

#include <stdint.h>

typedef struct {
	uint8_t code;
	uint8_t length;				/* of the parameters */
	uint8_t parameters[15];
	uint8_t pauseMs;			/* pause after the command */
} Ili9341Command;

enum { ILI9341_WRITE_PIXELS = 0x2C, ILI9341_WINDOW_COMMANDS = 2 };

/* How long its reset pin is held low, and the pause before the first command (data sheet, reset timing). */
enum { ILI9341_RESET_MS = 10, ILI9341_AFTER_RESET_MS = 5 };

/* From a reset to a shown picture: 16 bits a pixel, 240 columns, 320 rows. Ends with a code of 0. */
extern const Ili9341Command ili9341Start[];

/* Selects the rows from `top` up to `bottom`, and all columns, for the pixels after ILI9341_WRITE_PIXELS. */
void ili9341_window(int top, int bottom, Ili9341Command commands[ILI9341_WINDOW_COMMANDS]);

/* Converts pixels to the controller's format, the high byte first. */
void ili9341_pixels(const uint16_t *pixels, int count, uint8_t *bytes);

#endif
