/*
 * Pins and buttons as in the ABI (device/wasm/native/pins.h): modes, levels, invalid pins. The host connects the pins
 * (pins-wiring.h). Buttons that a remote client presses count as pressed.
 */
#include "pins.h"

#include <pthread.h>
#include <string.h>

#include "pins-board.h"
#include "pins-wiring.h"

enum { NOT_AN_OUTPUT = -1, INVALID = -22 };

typedef struct {
	uint8_t mode;
	uint8_t level;		/* the level that it drives as an output */
} Pin;

static Pin pins[PIN_COUNT];
static _Atomic int32_t pressed;		/* without the lock: a press does not wait for a reader */
static _Atomic int32_t ownerPressed;	/* those of them that the console's owner presses */
static _Atomic int32_t heldBack;	/* buttons that count as up until they are released */
static _Atomic int32_t ownerHeldBack;	/* the owner's, apart: a stranger who holds a button must not take it from the owner */
static _Atomic bool holdsAllBack;	/* buttons that go down are held back */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_pin(int32_t pin)
{
	return pin >= 0 && pin < PIN_COUNT && pins_wiring_is_free(pin);
}

int32_t pins_read(int32_t pin)
{
	if (!is_pin(pin))
		return INVALID;
	pthread_mutex_lock(&lock);
	Pin found = pins[pin];
	pthread_mutex_unlock(&lock);
	return found.mode == PINS_OUTPUT ? found.level : pins_wiring_level(pin, found.mode);
}

int32_t pins_mode(int32_t pin, int32_t mode)
{
	if (!is_pin(pin) || mode < PINS_INPUT || mode > PINS_OUTPUT)
		return INVALID;
	pthread_mutex_lock(&lock);
	if (pins[pin].mode != mode) {
		pins[pin] = (Pin){ .mode = (uint8_t)mode };
		pins_wiring_configure(pin, mode);
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
		pins_wiring_drive(pin, level);
	}
	pthread_mutex_unlock(&lock);
	return isOutput ? 0 : NOT_AN_OUTPUT;
}

int32_t pins_pressed(void)
{
	return pressed | pins_wiring_buttons();
}

int32_t pins_owner_pressed(void)
{
	return ownerPressed | pins_wiring_buttons();
}

/* Those of the buttons that are not held back. */
static int32_t let_through(int32_t buttons, _Atomic int32_t *held)
{
	if (holdsAllBack)
		*held |= buttons;
	*held &= buttons;
	return buttons & ~*held;
}

int32_t pins_buttons(void)
{
	return let_through(pins_pressed(), &heldBack);
}

int32_t pins_owner_buttons(void)
{
	return let_through(pins_owner_pressed(), &ownerHeldBack);
}

void pins_hold_back_buttons(void)
{
	heldBack = pins_pressed();
	ownerHeldBack = pins_owner_pressed();
}

void pins_hold_all_back(bool holdsAll)
{
	pins_hold_back_buttons();
	holdsAllBack = holdsAll;
}

void pins_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(pins, 0, sizeof(pins));
	for (int pin = 0; pin < PIN_COUNT; pin++) {
		if (pins_wiring_is_free(pin))
			pins_wiring_configure(pin, PINS_INPUT);
	}
	pins_wiring_reset();
	pthread_mutex_unlock(&lock);
	pressed = ownerPressed = heldBack = ownerHeldBack = 0;
	holdsAllBack = false;
}

void pins_press(int32_t buttons, bool isOwner)
{
	pressed = buttons;
	ownerPressed = isOwner ? buttons : 0;
	heldBack &= pins_pressed();
	ownerHeldBack &= pins_owner_pressed();
}
