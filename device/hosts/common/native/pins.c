/*
 * Pins and buttons as in the ABI (device/wasm/native/pins.h): modes, levels, invalid pins. The host connects the pins
 * (pins-wiring.h). Buttons that a remote client presses count as pressed.
 */
#include "pins.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "pins-board.h"
#include "pins-wiring.h"

enum { NOT_IN_THIS_MODE = -1, INVALID = -22 };

/* The mode of an output with pulses, which `pins_mode` cannot set. */
enum { PULSES = PINS_OUTPUT + 1 };

typedef struct {
	uint8_t mode;
	uint8_t level;		/* the level that it drives as an output */
} Pin;

/*
 * A button of the chord waits for so long for the others before an app is told of it: fingers are apart by a tenth of a second
 * (docs/spec/display-and-input.md#chord-wait).
 */
enum { CHORD_WAIT_MS = 200 };

/* What an app sees of the buttons. */
typedef struct {
	int32_t heldBack;			/* count as up until they are released */
	int32_t seen;				/* were down for the app when somebody looked last */
	int32_t wentDown, wentUp;	/* since the app asked */
	/* Buttons of the chord that are down: they wait, since a time, or the app is told of them. */
	int32_t waiting, told;
	int64_t waitingSinceMs;
	/* Those that were released while they waited are told then, for as long as they were down. */
	int32_t late;
	int64_t lateUntilMs;
} Buttons;

static Pin pins[PIN_COUNT];
static _Atomic int32_t pressed;
static _Atomic int32_t ownerPressed;	/* those of them that the console's owner presses */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under a lock of their own, which is held for a few instructions: a press waits for no pin. */
static Buttons everyones;
static Buttons owners;				/* apart: a stranger who holds a button must not take it from the owner */
static bool holdsAllBack;			/* buttons that go down are held back */
static int32_t chord;				/* of the console; apps see none of its buttons that are pressed together */
static pthread_mutex_t buttonLock = PTHREAD_MUTEX_INITIALIZER;

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
	return found.mode >= PINS_OUTPUT ? found.level : pins_wiring_level(pin, found.mode);
}

/* Locks the pins for a change of one. Looks with the lock held: a peripheral may have taken the pin a moment ago. */
static bool lock_pin(int32_t pin)
{
	pthread_mutex_lock(&lock);
	if (is_pin(pin))
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

/* With the lock held. */
static void set_mode(int32_t pin, int32_t mode)
{
	if (pins[pin].mode == PULSES)
		pins_wiring_end_pulses(pin);
	pins[pin] = (Pin){ .mode = (uint8_t)mode };
	pins_wiring_configure(pin, mode);
}

int32_t pins_mode(int32_t pin, int32_t mode)
{
	if (mode < PINS_INPUT || mode > PINS_OUTPUT || !lock_pin(pin))
		return INVALID;
	if (pins[pin].mode != mode)
		set_mode(pin, mode);
	pthread_mutex_unlock(&lock);
	return 0;
}

int32_t pins_hand_over(const int *handed, int count, int32_t (*take)(void))
{
	pthread_mutex_lock(&lock);
	for (int index = 0; index < count; index++)
		set_mode(handed[index], PINS_INPUT);
	const int32_t result = take();
	pthread_mutex_unlock(&lock);
	return result;
}

int32_t pins_write(int32_t pin, int32_t level)
{
	if ((level != 0 && level != 1) || !lock_pin(pin))
		return INVALID;
	bool isOutput = pins[pin].mode == PINS_OUTPUT;
	if (isOutput) {
		pins[pin].level = (uint8_t)level;
		pins_wiring_drive(pin, level);
	}
	pthread_mutex_unlock(&lock);
	return isOutput ? 0 : NOT_IN_THIS_MODE;
}

int32_t pins_millivolts(int32_t pin)
{
	if (!lock_pin(pin))
		return INVALID;
	const int mode = pins[pin].mode;
	const int32_t result = mode < PINS_OUTPUT ? pins_wiring_millivolts(pin, mode) : NOT_IN_THIS_MODE;
	pthread_mutex_unlock(&lock);
	return result;
}

int32_t pins_pulse(int32_t pin, int32_t hz, int32_t duty)
{
	if (hz < PINS_PULSES_MIN_HZ || hz > PINS_PULSES_MAX_HZ || duty < 0 || duty > PINS_DUTY || !lock_pin(pin))
		return INVALID;
	const int32_t result = pins_wiring_pulse(pin, hz, duty);
	if (result == 0)
		pins[pin] = (Pin){ .mode = PULSES };
	pthread_mutex_unlock(&lock);
	return result;
}

int32_t pins_pressed(void)
{
	return pressed | pins_wiring_buttons();
}

int32_t pins_owner_pressed(void)
{
	return ownerPressed | pins_wiring_buttons();
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* @returns the buttons of the chord that the app sees, of those in `down` */
static int32_t seen_of_chord(Buttons *buttons, int32_t down)
{
	if (!(down | buttons->waiting | buttons->told | buttons->late))
		return 0;
	const int64_t nowMs = now_ms();
	const int32_t released = buttons->waiting & ~down;
	if (released) {
		buttons->late = released;
		buttons->lateUntilMs = nowMs + 1 + (nowMs - buttons->waitingSinceMs);
	}
	buttons->told &= down;
	if (down == chord)
		buttons->heldBack |= down & ~buttons->told;
	const int32_t fresh = down & ~buttons->told & ~buttons->heldBack;
	if (fresh & ~buttons->waiting)
		buttons->waitingSinceMs = nowMs;
	const bool isOver = nowMs - buttons->waitingSinceMs >= CHORD_WAIT_MS;
	buttons->told |= isOver ? fresh : 0;
	buttons->waiting = isOver ? 0 : fresh;
	buttons->late &= nowMs < buttons->lateUntilMs ? ~down : 0;
	return buttons->told | buttons->late;
}

/* Notes which buttons have gone down and up. With the buttons' lock held. */
static void note_changes(Buttons *buttons, int32_t down)
{
	if (holdsAllBack)
		buttons->heldBack |= down;
	buttons->heldBack &= down;
	const int32_t ofChord = seen_of_chord(buttons, down & chord);
	const int32_t now = (down & ~chord & ~buttons->heldBack) | ofChord;
	const int32_t changed = buttons->seen ^ now;
	buttons->seen = now;
	buttons->wentDown |= changed & now;
	buttons->wentUp |= changed & ~now;
}

/* Takes the buttons' lock. @returns what an app sees as of now */
static Buttons *lock_buttons(bool ofOwner)
{
	pthread_mutex_lock(&buttonLock);
	note_changes(&everyones, pins_pressed());
	note_changes(&owners, pins_owner_pressed());
	return ofOwner ? &owners : &everyones;
}

void pins_look(void)
{
	lock_buttons(false);
	pthread_mutex_unlock(&buttonLock);
}

int32_t pins_buttons(bool ofOwner)
{
	const int32_t buttons = lock_buttons(ofOwner)->seen;
	pthread_mutex_unlock(&buttonLock);
	return buttons;
}

int32_t pins_take_pressed(bool ofOwner)
{
	Buttons *buttons = lock_buttons(ofOwner);
	const int32_t taken = buttons->wentDown;
	buttons->wentDown = 0;
	pthread_mutex_unlock(&buttonLock);
	return taken;
}

int32_t pins_take_released(bool ofOwner)
{
	Buttons *buttons = lock_buttons(ofOwner);
	const int32_t taken = buttons->wentUp;
	buttons->wentUp = 0;
	pthread_mutex_unlock(&buttonLock);
	return taken;
}

static void hold_back(bool holdsAll)
{
	pthread_mutex_lock(&buttonLock);
	everyones = (Buttons){ .heldBack = pins_pressed() };
	owners = (Buttons){ .heldBack = pins_owner_pressed() };
	holdsAllBack = holdsAll;
	pthread_mutex_unlock(&buttonLock);
}

void pins_hold_back_buttons(void)
{
	hold_back(holdsAllBack);
}

void pins_hold_all_back(bool holdsAll)
{
	hold_back(holdsAll);
}

void pins_reserve_chord(int32_t buttons)
{
	pthread_mutex_lock(&buttonLock);
	chord = buttons;
	pthread_mutex_unlock(&buttonLock);
}

void pins_reset(void)
{
	pthread_mutex_lock(&lock);
	for (int pin = 0; pin < PIN_COUNT; pin++) {
		if (pins[pin].mode == PULSES)
			pins_wiring_end_pulses(pin);
	}
	memset(pins, 0, sizeof(pins));
	for (int pin = 0; pin < PIN_COUNT; pin++) {
		if (pins_wiring_is_free(pin))
			pins_wiring_configure(pin, PINS_INPUT);
	}
	pins_wiring_reset();
	pthread_mutex_unlock(&lock);
	pressed = ownerPressed = 0;
	pthread_mutex_lock(&buttonLock);
	everyones = owners = (Buttons){ .heldBack = 0 };
	holdsAllBack = false;
	chord = 0;
	pthread_mutex_unlock(&buttonLock);
}

void pins_press(int32_t buttons, bool isOwner)
{
	pressed = buttons;
	ownerPressed = isOwner ? buttons : 0;
	pins_look();
}
