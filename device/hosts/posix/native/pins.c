/*
 * The pins of the simulated board, numbered as on an ESP32-S3. Nothing is wired to them: an input reads 0, or 1
 * where it is pulled up. The buttons are those that are pressed from afar.
 */
#include "pins.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "pins-board.h"

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
	return pin >= 0 && pin < PIN_COUNT;
}

int32_t pins_read(int32_t pin)
{
	if (!is_pin(pin))
		return INVALID;
	pthread_mutex_lock(&lock);
	Pin found = pins[pin];
	pthread_mutex_unlock(&lock);
	return found.mode == PINS_OUTPUT ? found.level : found.mode == PINS_INPUT_PULL_UP;
}

int32_t pins_mode(int32_t pin, int32_t mode)
{
	if (!is_pin(pin) || mode < PINS_INPUT || mode > PINS_OUTPUT)
		return INVALID;
	pthread_mutex_lock(&lock);
	if (pins[pin].mode != mode)
		pins[pin] = (Pin){ .mode = (uint8_t)mode };
	pthread_mutex_unlock(&lock);
	return 0;
}

int32_t pins_write(int32_t pin, int32_t level)
{
	if (!is_pin(pin) || (level != 0 && level != 1))
		return INVALID;
	pthread_mutex_lock(&lock);
	bool isOutput = pins[pin].mode == PINS_OUTPUT;
	if (isOutput)
		pins[pin].level = (uint8_t)level;
	pthread_mutex_unlock(&lock);
	return isOutput ? 0 : NOT_AN_OUTPUT;
}

int32_t pins_buttons(void)
{
	return pressed;
}

void pins_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(pins, 0, sizeof(pins));
	pthread_mutex_unlock(&lock);
	pressed = 0;
}

void pins_press(int32_t buttons)
{
	pressed = buttons;
}
