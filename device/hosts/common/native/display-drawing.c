/* The drawing functions of display.h: each draws under the display's lock, if the app is in front. */
#include "display-canvas.h"
#include "display-memory.h"
#include "font.h"
#include "utf8.h"

bool display_fill(const DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h, uint16_t rgb565)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_fill(&canvas, x, y, w, h, rgb565);
	display_end();
	return true;
}

bool display_blit(const DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_pixels(&canvas, x, y, w, h, pixels);
	display_end();
	return true;
}

bool display_has_sprite(const DisplaySprite *sprite)
{
	if (sprite->width <= 0 || sprite->height <= 0 || sprite->number < 0)
		return false;
	const int64_t inRow = sprite->sheetWidth / sprite->width, rows = sprite->sheetHeight / sprite->height;
	return sprite->number < inRow * rows;
}

bool display_sprite(const DisplayClient *client, int32_t x, int32_t y, const DisplaySprite *sprite)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_sprite(&canvas, x, y, sprite);
	display_end();
	return true;
}

bool display_line(const DisplayClient *client, DisplayPoint from, DisplayPoint to, uint16_t rgb565)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_line(&canvas, from, to, rgb565);
	display_end();
	return true;
}

bool display_circle(const DisplayClient *client, DisplayPoint centre, int32_t radius, uint16_t rgb565, bool isFilled)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_circle(&canvas, centre, radius, rgb565, isFilled);
	display_end();
	return true;
}

bool display_triangle(const DisplayClient *client, const DisplayPoint corners[3], uint16_t rgb565)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_triangle(&canvas, corners, rgb565);
	display_end();
	return true;
}

bool display_scroll(const DisplayClient *client, int32_t dx, int32_t dy)
{
	Canvas canvas;
	if (!display_begin(client, &canvas))
		return false;
	draw_scrolled(&canvas, dx, dy);
	display_end();
	return true;
}

static bool draw_character(const DisplayClient *client, int64_t x, int64_t y, int scale, uint16_t rgb565, uint32_t character)
{
	uint8_t rows[FONT_HEIGHT];
	Canvas canvas;
	font_glyph(character, rows);
	if (!display_begin(client, &canvas))
		return false;
	draw_glyph(&canvas, x, y, scale, rgb565, rows);
	display_end();
	return true;
}

/* The code point of a well-formed sequence. */
static uint32_t character_of(const uint8_t *bytes, int length)
{
	uint32_t character = length == 1 ? bytes[0] : bytes[0] & (0x7F >> length);
	for (int index = 1; index < length; index++)
		character = character << 6 | (bytes[index] & 0x3F);
	return character;
}

/*
 * Takes the lock for each character: a text may be as long as an app's memory. Characters outside the display take no
 * lock.
 */
bool display_text(const DisplayClient *client, int32_t x, int32_t y, int scale, uint16_t rgb565, const char *text,
	uint32_t length)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + length;
	const int width = FONT_WIDTH * scale, height = FONT_HEIGHT * scale;
	int64_t column = x, top = y;
	bool isInFront = display_is_in_front(client);
	while (isInFront && at < end && top < DISPLAY_HEIGHT) {
		const int sequence = utf8_sequence(at, end);
		const uint32_t character = sequence > 0 ? character_of(at, sequence) : UINT32_MAX;
		at += sequence > 0 ? sequence : 1;
		if (character == '\n') {
			column = x;
			top += height;
			continue;
		}
		if (column > -width && column < DISPLAY_WIDTH && top > -height)
			isInFront = draw_character(client, column, top, scale, rgb565, character);
		column += width;
	}
	return isInFront;
}
