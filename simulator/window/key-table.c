/* docs/spec/simulated-console.md shows this table. */
#include "key-table.h"

#include <stddef.h>

enum { UP = 1 << 0, DOWN = 1 << 1, LEFT = 1 << 2, RIGHT = 1 << 3, A = 1 << 4, B = 1 << 5, X = 1 << 6, Y = 1 << 7,
	START = 1 << 8, SELECT = 1 << 9 };

enum { STICK_MIDDLE = 16384 };

const KeyRow keyTable[KEY_ROWS] = {
	{ "up", UP, { "Up" }, "dpup" },
	{ "down", DOWN, { "Down" }, "dpdown" },
	{ "left", LEFT, { "Left" }, "dpleft" },
	{ "right", RIGHT, { "Right" }, "dpright" },
	{ "A", A, { "Z" }, "a" },
	{ "B", B, { "X" }, "b" },
	{ "X", X, { "A" }, "x" },
	{ "Y", Y, { "S" }, "y" },
	{ "start", START, { "Return" }, "start" },
	{ "select", SELECT, { "Left Shift", "Right Shift" }, "back" },
	{ "select and start", SELECT | START, { "Escape", "Backspace" }, "guide" },
};

HeldKeys key_table_bit(int row, int index)
{
	return (HeldKeys)1 << (row * (KEYS_OF_ROW + 1) + index);
}

uint16_t key_table_buttons(HeldKeys held)
{
	uint16_t buttons = 0;
	for (int row = 0; row < KEY_ROWS; row++) {
		for (int index = 0; index <= KEYS_OF_ROW; index++) {
			if (held & key_table_bit(row, index))
				buttons |= keyTable[row].buttons;
		}
	}
	return buttons;
}

static uint16_t direction(int value, uint16_t low, uint16_t high)
{
	return value < -STICK_MIDDLE ? low : value > STICK_MIDDLE ? high : 0;
}

uint16_t key_table_stick(int x, int y)
{
	return direction(x, LEFT, RIGHT) | direction(y, UP, DOWN);
}
