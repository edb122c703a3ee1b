/*
 * The pins of the simulated console. An input has what `pins.txt` connects to it (simulated-wiring.h): another pin, a
 * level or a voltage; otherwise 0, or with a pull-up 1. Pulses count as their mean, as behind a low-pass filter.
 */
#include <stdbool.h>

#include "pins-wiring.h"
#include "pins.h"
#include "simulated-wiring.h"

enum { NO_SPACE = -28, NO_HARDWARE = -19 };

enum { SUPPLY_MILLIVOLTS = 3300 };

/* Pins with a converter and the number of pins with pulses, as on an ESP32-S3 that is on the network. */
enum { FIRST_ANALOG_PIN = 1, LAST_ANALOG_PIN = 10, PULSES = 3 };

/* What each pin drives, in parts of PINS_DUTY, plus 1; 0 for an input. */
static _Atomic int driven[PIN_COUNT];
static bool hasPulses[PIN_COUNT];

void pins_wiring_configure(int pin, int mode)
{
	driven[pin] = mode == PINS_OUTPUT;
}

void pins_wiring_drive(int pin, int level)
{
	driven[pin] = (level ? PINS_DUTY : 0) + 1;
}

/* The share of the supply at an input, in parts of PINS_DUTY. */
static int share_at(int pin, int mode)
{
	WiringLine lines[WIRING_LINES];
	const int count = wiring_read(lines);
	for (int index = 0; index < count; index++) {
		const WiringLine *line = &lines[index];
		if (line->kind == WIRING_WIRE && (int)line->value == pin && driven[line->which] > 0)
			return driven[line->which] - 1;
		if (line->kind == WIRING_LEVEL && line->which == pin)
			return line->value >= 1 ? PINS_DUTY : 0;
		if (line->kind == WIRING_ADC && line->which == pin)
			return (int)(line->value * PINS_DUTY / SUPPLY_MILLIVOLTS + 0.5);
	}
	return mode == PINS_INPUT_PULL_UP ? PINS_DUTY : 0;
}

int pins_wiring_level(int pin, int mode)
{
	return share_at(pin, mode) > PINS_DUTY / 2;
}

int32_t pins_wiring_millivolts(int pin, int mode)
{
	if (pin < FIRST_ANALOG_PIN || pin > LAST_ANALOG_PIN)
		return NO_HARDWARE;
	return (share_at(pin, mode) * SUPPLY_MILLIVOLTS + PINS_DUTY / 2) / PINS_DUTY;
}

int32_t pins_wiring_pulse(int pin, int hz, int duty)
{
	int others = 0;
	(void)hz;
	for (int other = 0; other < PIN_COUNT; other++)
		others += other != pin && hasPulses[other];
	if (others == PULSES)
		return NO_SPACE;
	hasPulses[pin] = true;
	driven[pin] = duty + 1;
	return 0;
}

void pins_wiring_end_pulses(int pin)
{
	hasPulses[pin] = false;
}

void pins_wiring_reset(void)
{
}
