/*
 * The pins of the chip. Apps may use the unconnected ones, but for those that the I2C bus has taken; a button pulls its pin to ground. Pins of an ESP32 that are
 * inputs alone have no pull-up: docs/board.md adds resistors.
 */
#include "board-i2c.h"
#include "board-sound.h"
#include "driver/gpio.h"
#include "pin-map.h"
#include "pins-wiring.h"
#include "pins.h"

bool pins_wiring_is_free(int pin)
{
	return pin_map_is_free(pin) && !board_i2c_has_pin(pin) && !board_sound_has_pin(pin);
}

void pins_wiring_configure(int pin, int mode)
{
	const bool hasPullUp = GPIO_IS_VALID_OUTPUT_GPIO(pin);
	const gpio_config_t options = {
		.pin_bit_mask = UINT64_C(1) << pin,
		.mode = mode == PINS_OUTPUT ? GPIO_MODE_OUTPUT : GPIO_MODE_INPUT,
		.pull_up_en = mode == PINS_INPUT_PULL_UP && hasPullUp ? GPIO_PULLUP_ENABLE : GPIO_PULLUP_DISABLE,
		.pull_down_en = mode == PINS_INPUT_PULL_DOWN ? GPIO_PULLDOWN_ENABLE : GPIO_PULLDOWN_DISABLE,
		.intr_type = GPIO_INTR_DISABLE,
	};
	if (mode == PINS_OUTPUT)
		pins_wiring_drive(pin, 0);
	(void)gpio_config(&options);
}

void pins_wiring_drive(int pin, int level)
{
	(void)gpio_set_level(pin, (uint32_t)level);
}

int pins_wiring_level(int pin, int mode)
{
	(void)mode;
	return gpio_get_level(pin);
}

void pins_wiring_reset(void)
{
	for (int index = 0; index < PIN_MAP_BUTTONS; index++) {
		if (pinMapButtons[index] >= 0)
			pins_wiring_configure(pinMapButtons[index], PINS_INPUT_PULL_UP);
	}
}

int32_t pins_wiring_buttons(void)
{
	int32_t buttons = 0;
	for (int index = 0; index < PIN_MAP_BUTTONS; index++)
		buttons |= (pinMapButtons[index] >= 0 && gpio_get_level(pinMapButtons[index]) == 0) << index;
	return buttons;
}
