/*
 * The pins of the chip (device/wasm/native/pins.h). Apps have those that nothing is wired to; a button pulls its pin
 * to ground. Buttons that are pressed from afar are down as well.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "driver/gpio.h"
#include "pin-map.h"
#include "pins-board.h"
#include "pins.h"

enum { PIN_COUNT = 49, NOT_AN_OUTPUT = -1, INVALID = -22 };

typedef struct {
	uint8_t mode;
	uint8_t level;		/* what it drives as an output */
} Pin;

static Pin pins[PIN_COUNT];
static _Atomic int32_t pressed;		/* without the lock: who presses does not wait for who looks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_pin(int32_t pin)
{
	return pin < PIN_COUNT && pin_map_is_free(pin);
}

static void configure(int pin, int mode)
{
	const gpio_config_t options = {
		.pin_bit_mask = UINT64_C(1) << pin,
		.mode = mode == PINS_OUTPUT ? GPIO_MODE_OUTPUT : GPIO_MODE_INPUT,
		.pull_up_en = mode == PINS_INPUT_PULL_UP ? GPIO_PULLUP_ENABLE : GPIO_PULLUP_DISABLE,
		.pull_down_en = mode == PINS_INPUT_PULL_DOWN ? GPIO_PULLDOWN_ENABLE : GPIO_PULLDOWN_DISABLE,
		.intr_type = GPIO_INTR_DISABLE,
	};
	if (mode == PINS_OUTPUT)
		(void)gpio_set_level(pin, 0);
	(void)gpio_config(&options);
}

int32_t pins_read(int32_t pin)
{
	if (!is_pin(pin))
		return INVALID;
	pthread_mutex_lock(&lock);
	Pin found = pins[pin];
	pthread_mutex_unlock(&lock);
	return found.mode == PINS_OUTPUT ? found.level : gpio_get_level(pin);
}

int32_t pins_mode(int32_t pin, int32_t mode)
{
	if (!is_pin(pin) || mode < PINS_INPUT || mode > PINS_OUTPUT)
		return INVALID;
	pthread_mutex_lock(&lock);
	if (pins[pin].mode != mode) {
		pins[pin] = (Pin){ .mode = (uint8_t)mode };
		configure(pin, mode);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int32_t pins_write(int32_t pin, int32_t level)
{
	if (!is_pin(pin) || (level != 0 && level != 1))
		return INVALID;
	pthread_mutex_lock(&lock);
	bool isOutput = pins[pin].mode == PINS_OUTPUT;
	if (isOutput) {
		pins[pin].level = (uint8_t)level;
		(void)gpio_set_level(pin, (uint32_t)level);
	}
	pthread_mutex_unlock(&lock);
	return isOutput ? 0 : NOT_AN_OUTPUT;
}

int32_t pins_buttons(void)
{
	int32_t buttons = pressed;
	for (int index = 0; index < PIN_MAP_BUTTONS; index++)
		buttons |= (gpio_get_level(pinMapButtons[index]) == 0) << index;
	return buttons;
}

void pins_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(pins, 0, sizeof(pins));
	for (int pin = 0; pin < PIN_COUNT; pin++) {
		if (pin_map_is_free(pin))
			configure(pin, PINS_INPUT);
	}
	for (int index = 0; index < PIN_MAP_BUTTONS; index++)
		configure(pinMapButtons[index], PINS_INPUT_PULL_UP);
	pthread_mutex_unlock(&lock);
	pressed = 0;
}

void pins_press(int32_t buttons)
{
	pressed = buttons;
}
