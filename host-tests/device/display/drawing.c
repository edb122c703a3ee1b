/*
 * Holds the drawing of rectangles, pixels and text, and the font, to what display.h and font.h promise, as apps call them: with
 * any number. Drawing is compared with a picture that is drawn the slow way, pixel by pixel. Prints what does not hold.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "display-memory.h"
#include "display.h"
#include "font.h"
#include "holds.h"

static DisplayClient app;

static uint16_t expected[DISPLAY_PIXELS];
static uint16_t shown[DISPLAY_PIXELS];

static bool is_as_expected(void)
{
	display_flush(&app);
	display_copy_shown(shown, true);
	return memcmp(shown, expected, sizeof(shown)) == 0;
}

static void start_anew(void)
{
	display_reset();
	display_bring_to_front(&app);
	memset(expected, 0, sizeof(expected));
}

static bool lies_in(int64_t at, int64_t start, int64_t length)
{
	return at >= start && at < start + length;
}

static const int32_t EDGES[] = { INT32_MIN, -5, 0, 3, 239, 320, INT32_MAX };
enum { EDGE_COUNT = sizeof(EDGES) / sizeof(EDGES[0]) };

static void fill_slowly(int32_t x, int32_t y, int32_t w, int32_t h, uint16_t color)
{
	for (int row = 0; row < DISPLAY_HEIGHT; row++) {
		for (int column = 0; lies_in(row, y, h) && column < DISPLAY_WIDTH; column++) {
			if (lies_in(column, x, w))
				expected[row * DISPLAY_WIDTH + column] = color;
		}
	}
}

static void check_fills(void)
{
	uint16_t color = 0;
	start_anew();
	for (int index = 0; index < EDGE_COUNT * EDGE_COUNT * EDGE_COUNT * EDGE_COUNT; index++) {
		int32_t x = EDGES[index % EDGE_COUNT], y = EDGES[index / EDGE_COUNT % EDGE_COUNT];
		int32_t w = EDGES[index / EDGE_COUNT / EDGE_COUNT % EDGE_COUNT];
		int32_t h = EDGES[index / EDGE_COUNT / EDGE_COUNT / EDGE_COUNT];
		display_fill(&app, x, y, w, h, ++color);
		fill_slowly(x, y, w, h, color);
		HOLDS(is_as_expected(), "fill(%d, %d, %d, %d)", x, y, w, h);
	}
}

static uint16_t pixel_at(int row, int column)
{
	return (uint16_t)(row * 251 + column * 7 + 1);
}

/* In a block of exactly the size and at an odd address, so that nothing beside it is read unnoticed. */
static uint8_t *new_pixels(int w, int h, uint8_t **block)
{
	*block = malloc((size_t)w * h * 2 + 1);
	for (int row = 0; row < h; row++) {
		for (int column = 0; column < w; column++) {
			uint8_t *at = *block + 1 + (row * w + column) * 2;
			at[0] = pixel_at(row, column) & 0xFF;
			at[1] = pixel_at(row, column) >> 8;
		}
	}
	return *block + 1;
}

static void blit_slowly(int32_t x, int32_t y, int w, int h)
{
	for (int row = 0; row < DISPLAY_HEIGHT; row++) {
		for (int column = 0; column < DISPLAY_WIDTH; column++) {
			if (lies_in(row, y, h) && lies_in(column, x, w))
				expected[row * DISPLAY_WIDTH + column] = pixel_at((int)((int64_t)row - y), (int)((int64_t)column - x));
		}
	}
}

static void check_blits(void)
{
	static const int SIZES[][2] = { { 1, 1 }, { 7, 3 }, { 250, 330 }, { 1, 400 }, { 500, 1 } };
	static const int32_t PLACES[] = { INT32_MIN, -249, -3, 0, 100, 239, 319, INT32_MAX - 6, INT32_MAX };
	enum { PLACE_COUNT = sizeof(PLACES) / sizeof(PLACES[0]) };
	uint8_t *block;
	for (size_t size = 0; size < sizeof(SIZES) / sizeof(SIZES[0]); size++) {
		int w = SIZES[size][0], h = SIZES[size][1];
		uint8_t *pixels = new_pixels(w, h, &block);
		for (int place = 0; place < PLACE_COUNT * PLACE_COUNT; place++) {
			int32_t x = PLACES[place % PLACE_COUNT], y = PLACES[place / PLACE_COUNT];
			start_anew();
			display_blit(&app, x, y, w, h, pixels);
			blit_slowly(x, y, w, h);
			HOLDS(is_as_expected(), "blit(%d, %d, %d, %d)", x, y, w, h);
		}
		free(block);
	}
	start_anew();
	display_blit(&app, INT32_MAX, 0, INT32_MAX, INT32_MAX, NULL);
	display_blit(&app, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, NULL);
	display_blit(&app, 0, 0, INT32_MIN, 5, NULL);
	display_blit(&app, 0, 0, 5, -1, NULL);
	display_blit(&app, 0, 0, 0, 0, NULL);
	HOLDS(is_as_expected(), "blits of nothing that is on the display");
}

static void glyph_slowly(int64_t x, int64_t y, uint16_t color, uint32_t character)
{
	uint8_t rows[FONT_HEIGHT];
	font_glyph(character, rows);
	for (int row = 0; row < FONT_HEIGHT; row++) {
		for (int column = 0; column < FONT_WIDTH; column++) {
			bool isSet = rows[row] >> (FONT_WIDTH - 1 - column) & 1;
			if (isSet && lies_in(x + column, 0, DISPLAY_WIDTH) && lies_in(y + row, 0, DISPLAY_HEIGHT))
				expected[(y + row) * DISPLAY_WIDTH + x + column] = color;
		}
	}
}

/* Text at several places, and the same as characters a line each. 1 stands for a character the font lacks. */
static void check_text(const char *text, size_t length, const char *lines)
{
	static const int32_t PLACES[][2] = {
		{ 0, 0 }, { 17, 33 }, { -4, -9 }, { 236, 310 }, { -800, 0 }, { 240, 0 }, { 0, 320 }, { 0, -16 },
		{ INT32_MAX, 0 }, { INT32_MIN, 0 }, { 0, INT32_MAX }, { 0, INT32_MIN }, { INT32_MAX, INT32_MAX },
		{ INT32_MIN, INT32_MIN },
	};
	for (size_t place = 0; place < sizeof(PLACES) / sizeof(PLACES[0]); place++) {
		int64_t x = PLACES[place][0], y = PLACES[place][1];
		start_anew();
		char *exact = malloc(length ? length : 1);
		memcpy(exact, text, length);
		display_text(&app, (int32_t)x, (int32_t)y, 1, 0xBEEF, exact, (uint32_t)length);
		free(exact);
		for (const char *at = lines; *at; at++) {
			if (*at == '\n') {
				x = PLACES[place][0];
				y += FONT_HEIGHT;
				continue;
			}
			glyph_slowly(x, y, 0xBEEF, *at == 1 ? 0x10FFFF : (uint32_t)*at);
			x += FONT_WIDTH;
		}
		HOLDS(is_as_expected(), "text \"%s\" at %d, %d", lines, PLACES[place][0], PLACES[place][1]);
	}
}

static void check_texts(void)
{
	check_text("", 0, "");
	check_text("Hello, World!", 13, "Hello, World!");
	check_text("one\ntwo\n\nthree", 14, "one\ntwo\n\nthree");
	check_text("a\tb\r\0c", 6, "a\1b\1\1c");
	check_text("\xD0\x96\xE4\xBD\xA0\xF0\x9F\x98\x80.", 10, "\1\1\1.");
	check_text("\x80\xC3\xFFz\xE2\x82", 6, "\1\1\1z\1\1");
	check_text("the longest line of them all, which goes on beyond the display", 62,
		"the longest line of them all, which goes on beyond the display");
}

/* The character after `one` of those that the font has; 0 after the last. */
static uint32_t next_character(uint32_t one)
{
	static const uint32_t OTHERS[] = {
		0x218, 0x219, 0x21A, 0x21B, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2022, 0x2026, 0x2039,
		0x203A, 0x20AC, 0x2122, 0,
	};
	const uint32_t *other = OTHERS;
	if (one < 0x7E || (one >= 0xA1 && one < 0x17F))
		return one + 1;
	if (one == 0x7E)
		return 0xA1;
	while (*other != 0 && *other <= one)
		other++;
	return *other;
}

/* Letters of different languages may look alike. */
static bool may_look_like(uint32_t one, uint32_t other)
{
	static const uint32_t ALIKE[][2] = {
		{ ',', 0x201A }, { '-', 0x2013 }, { 0xD0, 0x110 }, { 0x15E, 0x218 }, { 0x15F, 0x219 }, { 0x162, 0x21A }, { 0x163, 0x21B },
	};
	for (size_t pair = 0; pair < sizeof(ALIKE) / sizeof(ALIKE[0]); pair++) {
		if (one == ALIKE[pair][0] && other == ALIKE[pair][1])
			return true;
	}
	return false;
}

static void check_font(void)
{
	uint8_t rows[FONT_HEIGHT], others[FONT_HEIGHT], box[FONT_HEIGHT];
	font_glyph(0x80, box);
	for (uint32_t one = 0x20; one != 0; one = next_character(one)) {
		bool isBlank = true;
		font_glyph(one, rows);
		for (int row = 0; row < FONT_HEIGHT; row++) {
			isBlank &= rows[row] == 0;
			HOLDS((rows[row] & 1) == 0, "U+%04X touches the next character", one);
		}
		HOLDS(isBlank == (one == ' '), "U+%04X is blank", one);
		HOLDS(rows[FONT_HEIGHT - 1] == 0, "U+%04X touches the next line", one);
		HOLDS(memcmp(rows, box, FONT_HEIGHT) != 0, "U+%04X is a box", one);
		for (uint32_t other = next_character(one); other != 0; other = next_character(other)) {
			font_glyph(other, others);
			const bool isAlike = memcmp(rows, others, FONT_HEIGHT) == 0;
			HOLDS(!isAlike || may_look_like(one, other), "U+%04X looks like U+%04X", one, other);
		}
	}
	for (const uint32_t *other = (const uint32_t[]){ 0x7F, 0x9F, 0x180, 0x416, 0xFFFF, 0x100E4, 0x10FFFF, UINT32_MAX, 0x1F, 0 };;
		 other++) {
		font_glyph(*other, others);
		HOLDS(memcmp(others, box, FONT_HEIGHT) == 0, "U+%04X is not a box", *other);
		if (*other == 0)
			return;
	}
}

int main(void)
{
	HOLDS(display_width() == 240 && display_height() == 320, "size of the display");
	check_fills();
	check_blits();
	check_texts();
	check_font();
	return failures > 0;
}
