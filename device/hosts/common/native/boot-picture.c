/*
 * The boot picture as a list of rectangles and the product's name in the console's font, twice as large. This list is
 * the source of the picture: 600 bytes of flash with the code, where its pixels would take 150 KiB.
 */
#include "boot-picture.h"

#include <string.h>

#include "display-memory.h"
#include "font.h"

/* Coordinates below are in units of four pixels, so that they fit in a byte. */
enum { UNIT = 4, LETTER_SCALE = 2 };

typedef struct {
	uint8_t left, top, width, height;
	uint16_t rgb565;
} Part;

/* The colours of the home screen (device/home/app/palette.ts). */
enum { BODY = 0x4A6A, FRAME = 0x0253, SCREEN = 0x7E7F, KEY = 0xFFFF, ACCENT = 0x6F4C };

/* A handheld console; later parts cover earlier ones. */
static const Part PARTS[] = {
	{ 16, 13, 28, 38, BODY }, { 17, 12, 26, 40, BODY },
	{ 18, 15, 24, 18, FRAME }, { 19, 16, 22, 16, SCREEN },
	{ 19, 40, 7, 3, KEY }, { 21, 38, 3, 7, KEY },			// the directions
	{ 34, 42, 3, 3, KEY }, { 38, 38, 3, 3, ACCENT },		// B and A
	{ 26, 48, 3, 1, FRAME }, { 31, 48, 3, 1, FRAME },		// select and start
};

static const char NAME[] = "svc console";
enum {
	LETTERS = sizeof(NAME) - 1,
	LETTER_WIDTH = FONT_WIDTH * LETTER_SCALE,
	NAME_LEFT = (DISPLAY_WIDTH - LETTERS * LETTER_WIDTH) / 2,
	NAME_TOP = 58 * UNIT,
};

static void fill(uint16_t *pixels, int left, int top, int width, int height, uint16_t rgb565)
{
	for (int row = top; row < top + height; row++) {
		for (int column = left; column < left + width; column++)
			pixels[row * DISPLAY_WIDTH + column] = rgb565;
	}
}

static void draw_letter(uint16_t *pixels, int left, char letter)
{
	uint8_t glyph[FONT_HEIGHT];
	font_glyph((uint8_t)letter, glyph);
	for (int row = 0; row < FONT_HEIGHT; row++) {
		for (int column = 0; column < FONT_WIDTH; column++) {
			if (glyph[row] & (0x80 >> column))
				fill(pixels, left + column * LETTER_SCALE, NAME_TOP + row * LETTER_SCALE, LETTER_SCALE, LETTER_SCALE, KEY);
		}
	}
}

void boot_picture_draw(uint16_t *pixels)
{
	memset(pixels, 0, DISPLAY_PIXELS * sizeof(*pixels));
	for (const Part *part = PARTS; part < PARTS + sizeof(PARTS) / sizeof(*PARTS); part++)
		fill(pixels, part->left * UNIT, part->top * UNIT, part->width * UNIT, part->height * UNIT, part->rgb565);
	for (int index = 0; index < LETTERS; index++)
		draw_letter(pixels, NAME_LEFT + index * LETTER_WIDTH, NAME[index]);
}
