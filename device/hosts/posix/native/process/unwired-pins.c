/* The pins of the simulated board, which are not connected: an input reads 0, or 1 with a pull-up. */
#include "unwired-pins.h"

#include "pins-wiring.h"
#include "pins.h"

static _Atomic int32_t pressed;

bool pins_wiring_is_free(int pin)
{
	(void)pin;
	return true;
}

void pins_wiring_configure(int pin, int mode)
{
	(void)pin, (void)mode;
}

void pins_wiring_drive(int pin, int level)
{
	(void)pin, (void)level;
}

int pins_wiring_level(int pin, int mode)
{
	(void)pin;
	return mode == PINS_INPUT_PULL_UP;
}

void pins_wiring_reset(void)
{
}

void unwired_pins_press(int32_t buttons)
{
	pressed = buttons;
}

int32_t pins_wiring_buttons(void)
{
	return pressed;
}
