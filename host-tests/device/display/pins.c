/* Holds pins.h and pins-board.h to what they promise: levels, modes, and whose buttons reach whom. Prints what does not hold. */
#include <stdbool.h>
#include <stdint.h>

#include "holds.h"
#include "i2c-bus.h"
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
		HOLDS(pins_millivolts(pin) == -22 && pins_pulse(pin, 1000, 0) == -22, "pin %d", pin);
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
	HOLDS(pins_millivolts(0) == -19 && pins_pulse(0, 1000, 0) == -19, "a board without converters and pulses");
	HOLDS(pins_read(0) == 0 && pins_write(0, 1) == -1, "pulses that there are not leave the pin as it was");
	uint8_t bytes[1];
	HOLDS(i2c_bus_read(0x48, 0, bytes, 1) == -19 && i2c_bus_write(0x48, bytes, 1) == -19, "a board without a bus");
}

static void check_buttons(void)
{
	HOLDS(pins_buttons(false) == 0, "buttons at the start");
	pins_press(EVERY_BUTTON, true);
	HOLDS(pins_buttons(false) == 0x3FF, "every button");
	pins_press(1 << 4, true);
	HOLDS(pins_buttons(false) == 16, "only the last ones count");
	pins_hold_back_buttons();
	pins_press(1 << 4 | 1 << 5, true);
	HOLDS(pins_buttons(false) == 32, "a button that was held back");
	pins_press(0, true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons(false) == 16, "a button that was released, and pressed again before anybody looked");
	HOLDS(pins_buttons(true) == 16, "a button of the owner's");
	pins_press(1 << 4, false);
	HOLDS(pins_buttons(false) == 16 && pins_buttons(true) == 0, "a button that a stranger presses");
	pins_hold_back_buttons();
	pins_reset();
	HOLDS(pins_buttons(false) == 0, "buttons after power on");
}

/* The home screen sees the console's own buttons (docs/spec/home.md#owner), whatever a stranger holds down meanwhile. */
static void check_buttons_beside_a_stranger(void)
{
	pins_press(EVERY_BUTTON, false);
	pins_hold_back_buttons();	/* an app comes to the front */
	HOLDS(pins_buttons(false) == 0 && pins_buttons(true) == 0, "buttons that a stranger holds");
	unwired_pins_press(1 << 4);
	HOLDS(pins_buttons(true) == 16, "a button of the console that a stranger holds, too");
	pins_hold_back_buttons();
	HOLDS(pins_buttons(true) == 0, "the same one for the next app");
	unwired_pins_press(0);
	HOLDS(pins_buttons(true) == 0, "it is released");
	unwired_pins_press(1 << 4);
	HOLDS(pins_buttons(true) == 16, "it is pressed again");
	unwired_pins_press(0);
	pins_reset();
}

/* The display is dark (docs/spec/home.md#sleep): an app may look at the buttons before anybody else does. */
static void check_held_back_all(void)
{
	pins_hold_all_back(true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons(false) == 0 && pins_buttons(true) == 0, "a button that goes down while all are held back");
	HOLDS(pins_owner_pressed() == 16, "a button that is held back is down");
	pins_hold_all_back(false);
	HOLDS(pins_buttons(false) == 0 && pins_buttons(true) == 0, "it is held back until it is released");
	pins_press(1 << 4 | 1 << 5, true);
	HOLDS(pins_buttons(false) == 32 && pins_buttons(true) == 32, "another one after that");
	pins_press(0, true);
	pins_press(1 << 4, true);
	HOLDS(pins_buttons(false) == 16 && pins_buttons(true) == 16, "the same one, pressed again");
	pins_reset();
}

/* A press between two questions of an app, and a release (docs/spec/app-abi-and-quotas.md#button-changes). */
static void check_changes(void)
{
	pins_press(1 << 4, true);
	pins_press(0, true);
	HOLDS(pins_buttons(false) == 0, "a button that was pressed and released");
	HOLDS(pins_take_pressed(false) == 16 && pins_take_released(false) == 16, "its press and its release");
	HOLDS(pins_take_pressed(false) == 0 && pins_take_released(false) == 0, "each is told once");
	HOLDS(pins_take_pressed(true) == 16, "what one app was told is not taken from the owner's view");
	unwired_pins_press(1 << 5);
	pins_press(1 << 5, false);
	unwired_pins_press(0);
	HOLDS(pins_take_pressed(false) == 32 && pins_take_released(false) == 0, "a button is down as long as somebody holds it");
	HOLDS(pins_take_released(true) == (16 | 32), "the owner has released it");
	pins_hold_back_buttons();
	pins_press(0, true);
	HOLDS(pins_take_released(false) == 0, "the release of a button that was pressed for another app");
	pins_press(1 << 4, true);
	pins_hold_back_buttons();
	HOLDS(pins_take_pressed(false) == 0, "a press for another app");
	pins_hold_all_back(true);
	pins_press(1 << 4 | 1 << 5, true);
	pins_press(0, true);
	HOLDS(pins_take_pressed(false) == 0 && pins_take_released(false) == 0, "a press while all are held back");
	pins_reset();
}

int main(void)
{
	check_pins();
	check_buttons();
	check_buttons_beside_a_stranger();
	check_held_back_all();
	check_changes();
	return failures > 0;
}
