/* Holds pins.h and pins-board.h to what they promise: levels, modes, and whose buttons reach whom. Prints what does not hold. */
#include <stdbool.h>
#include <stdint.h>

#include "holds.h"
#include "pins-board.h"
#include "pins.h"
#include "unwired-pins.h"

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
	check_pins();
	check_buttons();
	check_buttons_beside_a_stranger();
	check_held_back_all();
	return failures > 0;
}
