/*
 * The parts of the window that need no SDL: keys, letterbox, colours. Prints what does not hold, or with the argument
 * "table" the table of keys as rows of Markdown.
 */
#include <stdio.h>
#include <string.h>

#include "holds.h"
#include "key-table.h"
#include "letterbox.h"
#include "lit-pixels.h"

static void print_table(void)
{
	for (const KeyRow *row = keyTable; row < keyTable + KEY_ROWS; row++)
		printf("| %s | %s%s%s | `%s` |\n", row->button, row->keys[0], row->keys[1] ? ", " : "",
			row->keys[1] ? row->keys[1] : "", row->gamepad);
}

static void check_keys(void)
{
	uint16_t all = 0;
	HeldKeys seen = 0;
	HOLDS(key_table_buttons(0) == 0);
	for (int row = 0; row < KEY_ROWS; row++) {
		all |= keyTable[row].buttons;
		for (int index = 0; index <= KEYS_OF_ROW; index++) {
			const HeldKeys bit = key_table_bit(row, index);
			HOLDS(bit != 0 && !(seen & bit) && key_table_buttons(bit) == keyTable[row].buttons);
			seen |= bit;
		}
	}
	HOLDS(all == 0x3FF && key_table_buttons(seen) == 0x3FF);		// no button without a key
	const HeldKeys both = key_table_bit(4, 0) | key_table_bit(4, 1);
	HOLDS(key_table_buttons(both) == 1 << 4 && key_table_buttons(both & ~key_table_bit(4, 0)) == 1 << 4);
	HOLDS(key_table_stick(0, 0) == 0 && key_table_stick(16384, -16384) == 0);
	HOLDS(key_table_stick(-32768, 0) == 1 << 2 && key_table_stick(32767, 0) == 1 << 3);
	HOLDS(key_table_stick(0, -32768) == 1 << 0 && key_table_stick(20000, 20000) == (1 << 1 | 1 << 3));
}

static int is_box(Letterbox box, int x, int y, int width, int height)
{
	return box.x == x && box.y == y && box.width == width && box.height == height;
}

static void check_letterbox(void)
{
	HOLDS(is_box(letterbox(240, 320, 240, 320), 0, 0, 240, 320));
	HOLDS(is_box(letterbox(480, 640, 240, 320), 0, 0, 480, 640));
	HOLDS(is_box(letterbox(479, 640, 240, 320), 119, 160, 240, 320));
	HOLDS(is_box(letterbox(1920, 1080, 240, 320), 600, 60, 720, 960));
	HOLDS(is_box(letterbox(120, 320, 240, 320), 0, 80, 120, 160));
	HOLDS(is_box(letterbox(240, 160, 240, 320), 60, 0, 120, 160));
	HOLDS(letterbox(1, 1, 240, 320).width == 1 && letterbox(1, 1, 240, 320).height == 1);
	for (int width = 1; width < 1000; width += 7) {
		for (int height = 1; height < 1000; height += 11) {
			const Letterbox box = letterbox(width, height, 240, 320);
			HOLDS(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height);
			HOLDS(width < 240 || height < 320 || (box.width % 240 == 0 && box.height * 3 == box.width * 4));
		}
	}
}

static void check_colours(void)
{
	const uint16_t pixels[] = { 0x0000, 0xFFFF, 0xF800, 0x07E0, 0x001F, 0x8410 };
	uint32_t lit[6];
	lit_pixels(pixels, 6, 100, lit);
	HOLDS(memcmp(lit, (const uint32_t[]){ 0xFF000000, 0xFFFFFFFF, 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFF848284 },
		sizeof(lit)) == 0);
	lit_pixels(pixels, 6, 0, lit);
	for (int index = 0; index < 6; index++)
		HOLDS(lit[index] == 0xFF000000);
	lit_pixels(pixels, 6, 50, lit);
	HOLDS(lit[0] == 0xFF000000 && lit[1] == 0xFF7F7F7F && lit[2] == 0xFF7F0000);
}

int main(int argc, char *argv[])
{
	if (argc == 2 && strcmp(argv[1], "table") == 0)
		print_table();
	else {
		check_keys();
		check_letterbox();
		check_colours();
	}
	return failures > 0;
}
