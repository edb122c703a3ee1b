/* Pins to which nothing is connected: an input reads 0, or 1 with a pull-up. There are no converters, pulses and buses. */
#include "i2c-bus.h"
#include "pins-wiring.h"
#include "pins.h"

enum { NO_HARDWARE = -19 };

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

int32_t pins_wiring_millivolts(int pin, int mode)
{
	(void)pin, (void)mode;
	return NO_HARDWARE;
}

int32_t pins_wiring_pulse(int pin, int hz, int duty)
{
	(void)pin, (void)hz, (void)duty;
	return NO_HARDWARE;
}

void pins_wiring_end_pulses(int pin)
{
	(void)pin;
}

void pins_wiring_reset(void)
{
}

int32_t i2c_bus_read(int address, int reg, uint8_t *bytes, uint32_t length)
{
	(void)address, (void)reg, (void)bytes, (void)length;
	return NO_HARDWARE;
}

int32_t i2c_bus_write(int address, const uint8_t *bytes, uint32_t length)
{
	(void)address, (void)bytes, (void)length;
	return NO_HARDWARE;
}
