/* Boards without wired buttons: every pin is free. */
#include "unwired-pins.h"

#include "pins-board.h"
#include "pins-wiring.h"

static _Atomic int32_t pressed;

bool pins_wiring_is_free(int pin)
{
	(void)pin;
	return true;
}

void unwired_pins_press(int32_t buttons)
{
	pressed = buttons;
	pins_look();
}

int32_t pins_wiring_buttons(void)
{
	return pressed;
}
