/*
 * Holds display.h, font.h and pins.h to what they promise, as apps call them: on threads, with any number.
 * Drawing is compared with a picture that is drawn the slow way, pixel by pixel. Prints what does not hold.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot-picture.h"
#include "display-memory.h"
#include "display.h"
#include "font.h"
#include "pins-board.h"
#include "pins.h"
#include "unwired-pins.h"

static int failures;

static DisplayClient app;

#define HOLDS(condition, ...) \
	do { \
		if (!(condition) && failures++ < 20) { \
			printf(__VA_ARGS__); \
			printf(" (%s)\n", #condition); \
		} \
	} while (0)

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

static bool isDrawing;

static void *draw(void *context)
{
	(void)context;
	for (uint16_t color = 1; __atomic_load_n(&isDrawing, __ATOMIC_SEQ_CST); color++) {
		display_fill(&app, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, color);
		display_flush(&app);
	}
	return NULL;
}

/* Every picture has one color, whenever it is taken; and not always the same one. */
static void check_tearing(void)
{
	pthread_t thread;
	uint16_t first = 0;
	int changes = 0;
	isDrawing = true;
	start_anew();
	display_flush(&app);		// the boot picture has more than one color
	pthread_create(&thread, NULL, draw, NULL);
	for (int count = 0; count < 200000 && (count < 500 || changes < 50); count++) {
		display_copy_shown(shown, true);
		changes += shown[0] != first;
		first = shown[0];
		HOLDS(memcmp(shown, shown + 1, sizeof(shown) - sizeof(shown[0])) == 0, "picture %d is torn", count);
	}
	__atomic_store_n(&isDrawing, false, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	HOLDS(changes >= 50, "the picture changed %d times", changes);
}

static void check_flush(void)
{
	start_anew();
	display_fill(&app, 0, 0, 1, 1, 0xFFFF);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0, "what was not flushed is shown");
	display_flush(&app);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0xFFFF && shown[1] == 0, "what was flushed is not shown");
	display_flush(&app);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0xFFFF, "the picture does not stay to be drawn on");
}

static bool shows(uint16_t color)
{
	display_copy_shown(shown, true);
	return shown[0] == color && memcmp(shown, shown + 1, sizeof(shown) - sizeof(shown[0])) == 0;
}

static bool fills(DisplayClient *client, uint16_t color)
{
	const bool isDrawn = display_fill(client, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, color);
	return display_flush(client) && isDrawn;
}

static void check_front(void)
{
	static const uint8_t PIXEL[2];
	DisplayClient other = { 0 };
	start_anew();
	HOLDS(fills(&app, 0x1234) && shows(0x1234), "the app in front does not draw");
	HOLDS(!display_is_in_front(&other) && !fills(&other, 0x4321) && shows(0x1234), "another app draws");
	HOLDS(!display_blit(&other, 0, 0, 1, 1, PIXEL) && !display_text(&other, 0, 0, 1, 1, "A", 1), "another app draws");
	HOLDS(!display_fill(NULL, 0, 0, 1, 1, 0), "nobody draws");

	display_bring_to_front(&other);
	HOLDS(shows(0) && !display_is_in_front(&app) && !fills(&app, 1), "an app that came to the front is not alone");
	HOLDS(fills(&other, 0x4321) && shows(0x4321), "an app that came to the front does not draw");
	display_bring_to_front(&other);
	HOLDS(shows(0x4321), "an app that is in front loses its picture");

	display_bring_to_front(&app);
	HOLDS(shows(0x1234) && !app.kept && other.kept, "an app that came back has another picture");
	display_flush(&app);
	HOLDS(shows(0x1234), "an app that came back has nothing to draw on");

	display_leave(&other);
	HOLDS(!other.kept && shows(0x1234), "an app behind the one in front ends");
	display_leave(&app);
	HOLDS(shows(0) && !display_is_in_front(&app) && !fills(&app, 1), "the picture of an app that ended stays");
	display_bring_to_front(&app);
	HOLDS(shows(0), "an app starts with the picture of the one before");
	display_bring_to_front(NULL);
	HOLDS(shows(0) && !fills(&app, 1), "an app is in front where none is to be");
	display_leave(&app);
}

/* @returns whether others see these rows, exclusive of the last, in grey, and the rest as it is */
static bool conceals(int top, int bottom)
{
	static uint16_t others[DISPLAY_PIXELS];
	display_copy_shown(shown, true);
	display_copy_shown(others, false);
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
		const int row = pixel / DISPLAY_WIDTH;
		if (others[pixel] != (row >= top && row < bottom ? 0x8410 : shown[pixel]))
			return false;
	}
	return true;
}

static void check_concealed(void)
{
	DisplayClient other = { 0 };
	start_anew();
	HOLDS(fills(&app, 0x1234) && conceals(0, 0), "something is concealed at the start");
	HOLDS(display_conceal(&app, 46, 254) && conceals(0, 0), "a picture is concealed that was flushed before");
	HOLDS(fills(&app, 0x4321) && shows(0x4321) && conceals(46, 300), "what an app conceals is seen by others");
	HOLDS(display_conceal(&app, 0, 0) && conceals(46, 300), "a secret is told before the next flush");
	HOLDS(display_flush(&app) && conceals(0, 0), "what is no secret any more stays concealed");
	display_conceal(&app, -5, 10);
	HOLDS(display_flush(&app) && conceals(0, 5), "rows above the display");
	display_conceal(&app, 310, INT32_MAX);
	HOLDS(display_flush(&app) && conceals(310, 320), "rows below the display");
	display_conceal(&app, 10, -5);
	HOLDS(display_flush(&app) && conceals(0, 0), "fewer rows than none");

	display_conceal(&app, 40, 200);
	display_flush(&app);
	display_bring_to_front(&other);
	HOLDS(shows(0) && conceals(0, 0), "an app conceals what another one shows");
	HOLDS(!display_conceal(&app, 0, 0), "an app that is not in front is told that it is");
	HOLDS(fills(&other, 1) && conceals(0, 0), "an app that is not in front conceals what another one shows");
	display_bring_to_front(&app);
	HOLDS(shows(0x4321) && conceals(40, 240), "the picture of an app that comes back has its secrets, which it tells");
	display_bring_to_front(&other);
	display_conceal(&app, 230, 60);
	display_bring_to_front(&app);
	HOLDS(shows(0x4321) && conceals(40, 290), "an app that is not in front conceals no more than before");
	display_leave(&app);
	HOLDS(shows(0) && conceals(0, 0), "an app that ended conceals something");
	display_leave(&other);
}

/* Has each app of a row draw in front, and tells which of their pictures are there when they come back, a bit each. */
static int kept_of_four(int limit)
{
	DisplayClient clients[4] = { 0 };
	int kept = 0;
	display_reset();
	display_keep_pictures(limit);
	for (int index = 0; index < 4; index++) {
		display_bring_to_front(&clients[index]);
		fills(&clients[index], (uint16_t)(0x1111 * (index + 1)));
	}
	display_bring_to_front(NULL);
	for (int index = 0; index < 4; index++)
		kept |= (clients[index].kept != NULL) << index;
	for (int index = 3; index >= 0; index--) {
		const bool isKept = kept >> index & 1;
		display_bring_to_front(&clients[index]);
		HOLDS(shows(isKept ? (uint16_t)(0x1111 * (index + 1)) : 0), "app %d of %d kept came back", index, limit);
		display_leave(&clients[index]);
	}
	return kept;
}

static void check_kept(void)
{
	HOLDS(kept_of_four(0) == 0, "a picture is kept where none is to be");
	HOLDS(kept_of_four(1) == 8, "the last picture is not the one that is kept");
	HOLDS(kept_of_four(2) == 12, "another than the oldest pictures is dropped");
	HOLDS(kept_of_four(4) == 15, "not every picture is kept");

	DisplayClient other = { 0 };
	display_keep_pictures(1);
	start_anew();
	fills(&app, 0x1234);
	display_bring_to_front(&other);
	fills(&other, 0x4321);
	display_bring_to_front(&app);
	HOLDS(shows(0x1234), "the picture of an app that came back makes room for another before it is shown");
	display_bring_to_front(&other);
	HOLDS(shows(0x4321), "two apps by turns do not come back with their pictures where one is kept");
	display_keep_pictures(0);
	display_bring_to_front(&app);
	HOLDS(shows(0) && !app.kept && !other.kept, "a picture stays although none is to be kept any more");
	display_leave(&app);
	display_leave(&other);
}

static bool shows_boot_picture(void)
{
	static uint16_t picture[DISPLAY_PIXELS];
	boot_picture_draw(picture);
	display_copy_shown(shown, true);
	return memcmp(shown, picture, sizeof(shown)) == 0;
}

static void check_boot_picture(void)
{
	DisplayClient other = { 0 };
	display_reset();
	HOLDS(shows_boot_picture() && !shows(shown[0]), "after power on there is no picture");
	display_bring_to_front(&app);
	display_fill(&app, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, 0x1234);
	HOLDS(shows_boot_picture(), "the boot picture goes before the first app has drawn");
	display_bring_to_front(&other);
	HOLDS(shows_boot_picture(), "the boot picture goes before any app has drawn");
	display_fill(&other, 0, 0, 1, 1, 0);
	display_flush(&other);
	HOLDS(shows(0), "an app draws on the boot picture");
	display_leave(&other);
	display_leave(&app);

	display_reset();
	HOLDS(shows_boot_picture(), "a restart shows no boot picture");
	display_bring_to_front(NULL);
	HOLDS(shows(0), "the boot picture stays where no app is to be shown");

	display_reset();
	display_bring_to_front(&app);
	display_leave(&app);
	HOLDS(shows(0), "the boot picture stays after an app that has drawn nothing");
}

static void check_pins(void)
{
	static const int32_t NO_PINS[] = { INT32_MIN, -1, 49, INT32_MAX };
	pins_reset();
	for (int index = 0; index < 4; index++) {
		int32_t pin = NO_PINS[index];
		HOLDS(pins_read(pin) == -22 && pins_mode(pin, PINS_OUTPUT) == -22 && pins_write(pin, 1) == -22, "pin %d", pin);
	}
	for (int32_t pin = 0; pin < 49; pin++) {
		HOLDS(pins_read(pin) == 0, "pin %d at the start", pin);
		HOLDS(pins_write(pin, 1) == -1 && pins_read(pin) == 0, "pin %d is not an output", pin);
		HOLDS(pins_mode(pin, PINS_INPUT_PULL_UP) == 0 && pins_read(pin) == 1, "pin %d pulled up", pin);
		HOLDS(pins_write(pin, 0) == -1 && pins_read(pin) == 1, "pin %d is pulled up and no output", pin);
		HOLDS(pins_mode(pin, PINS_INPUT_PULL_DOWN) == 0 && pins_read(pin) == 0, "pin %d pulled down", pin);
		HOLDS(pins_mode(pin, PINS_OUTPUT) == 0 && pins_read(pin) == 0, "pin %d as an output", pin);
		HOLDS(pins_write(pin, 1) == 0 && pins_read(pin) == 1, "pin %d driven up", pin);
		HOLDS(pins_mode(pin, PINS_OUTPUT) == 0 && pins_read(pin) == 1, "pin %d stays an output", pin);
		HOLDS(pins_write(pin, 2) == -22 && pins_write(pin, -1) == -22 && pins_read(pin) == 1, "levels of pin %d", pin);
		HOLDS(pins_mode(pin, 4) == -22 && pins_mode(pin, -1) == -22 && pins_read(pin) == 1, "modes of pin %d", pin);
		HOLDS(pins_mode(pin, PINS_INPUT) == 0 && pins_read(pin) == 0, "pin %d is let go", pin);
		HOLDS(pins_mode(pin, PINS_OUTPUT) == 0 && pins_read(pin) == 0, "pin %d begins at 0", pin);
	}
	pins_reset();
	HOLDS(pins_write(0, 1) == -1, "an output after power on");
}

static void check_buttons(void)
{
	HOLDS(pins_buttons() == 0, "buttons at the start");
	pins_press(EVERY_BUTTON, true);
	HOLDS(pins_buttons() == 0x3FF, "every button");
	pins_press(1 << 4, true);
	HOLDS(pins_buttons() == 16, "only the last ones count");
	pins_hold_back_buttons();
	pins_press(1 << 4 | 1 << 5, true);
	HOLDS(pins_buttons() == 32, "a button that was held back");
	pins_press(0, true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons() == 16, "a button that was released, and pressed again before anybody looked");
	HOLDS(pins_owner_buttons() == 16, "a button of the owner's");
	pins_press(1 << 4, false);
	HOLDS(pins_buttons() == 16 && pins_owner_buttons() == 0, "a button that a stranger presses");
	pins_hold_back_buttons();
	pins_reset();
	HOLDS(pins_buttons() == 0, "buttons after power on");
}

/* The home screen sees the console's own buttons (docs/spec/home.md#owner), whatever a stranger holds down meanwhile. */
static void check_buttons_beside_a_stranger(void)
{
	pins_press(EVERY_BUTTON, false);
	pins_hold_back_buttons();	/* an app comes to the front */
	HOLDS(pins_buttons() == 0 && pins_owner_buttons() == 0, "buttons that a stranger holds");
	unwired_pins_press(1 << 4);
	HOLDS(pins_owner_buttons() == 16, "a button of the console that a stranger holds, too");
	pins_hold_back_buttons();
	HOLDS(pins_owner_buttons() == 0, "the same one for the next app");
	unwired_pins_press(0);
	HOLDS(pins_owner_buttons() == 0, "it is released");
	unwired_pins_press(1 << 4);
	HOLDS(pins_owner_buttons() == 16, "it is pressed again");
	unwired_pins_press(0);
	pins_reset();
}

/* The display is dark (docs/spec/home.md#sleep): an app may look at the buttons before anybody else does. */
static void check_held_back_all(void)
{
	pins_hold_all_back(true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons() == 0 && pins_owner_buttons() == 0, "a button that goes down while all are held back");
	HOLDS(pins_owner_pressed() == 16, "a button that is held back is down");
	pins_hold_all_back(false);
	HOLDS(pins_buttons() == 0 && pins_owner_buttons() == 0, "it is held back until it is released");
	pins_press(1 << 4 | 1 << 5, true);
	HOLDS(pins_buttons() == 32 && pins_owner_buttons() == 32, "another one after that");
	pins_press(0, true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons() == 16 && pins_owner_buttons() == 16, "the same one, pressed again");
	pins_reset();
}

int main(void)
{
	HOLDS(display_width() == 240 && display_height() == 320, "size of the display");
	check_fills();
	check_blits();
	check_texts();
	check_font();
	check_flush();
	display_keep_pictures(2);
	check_front();
	check_concealed();
	check_kept();
	check_boot_picture();
	check_tearing();
	check_pins();
	check_buttons();
	check_buttons_beside_a_stranger();
	check_held_back_all();
	return failures > 0;
}
