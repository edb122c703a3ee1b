/*
 * The I2C bus of the simulated console: temperature sensors with the registers of an LM75B, at the addresses that
 * `pins.txt` names (simulated-wiring.h). Without that file there is one, in a room that becomes warmer and colder.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "i2c-bus.h"
#include "simulated-wiring.h"

enum { NOT_FOUND = -2 };

enum { DEFAULT_ADDRESS = 0x48 };

/* Registers of an LM75B. A limit is a number of 9 bits, in halves of a degree, in the upper bits of two bytes. */
enum { TEMPERATURE = 0, CONFIGURATION = 1, HYSTERESIS = 2, OVERTEMPERATURE = 3, REGISTERS = 4 };

typedef struct {
	uint8_t pointer;
	uint16_t registers[REGISTERS];
} Sensor;

static const uint16_t AT_POWER_ON[REGISTERS] = { [HYSTERESIS] = 75 << 8, [OVERTEMPERATURE] = 80 << 8 };

static Sensor sensors[I2C_BUS_LAST_ADDRESS + 1];
static bool isOn[I2C_BUS_LAST_ADDRESS + 1];		/* the sensor has been used, and so has registers */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* From 20 to 30 degrees and back, in two minutes. */
static double room_temperature(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const double phase = (double)(now.tv_sec % 120) + (double)now.tv_nsec / 1e9;
	return phase < 60 ? 20 + phase / 6 : 40 - phase / 6;
}

static bool find_temperature(int address, double *celsius)
{
	WiringLine lines[WIRING_LINES];
	const int count = wiring_read(lines);
	for (int index = 0; index < count; index++) {
		if (lines[index].kind == WIRING_LM75 && lines[index].which == address) {
			*celsius = lines[index].value;
			return true;
		}
	}
	*celsius = room_temperature();
	return count < 0 && address == DEFAULT_ADDRESS;
}

/* With the lock held. @returns NULL if no sensor has that address */
static Sensor *sensor_at(int address)
{
	double celsius;
	if (!find_temperature(address, &celsius))
		return NULL;
	Sensor *sensor = &sensors[address];
	if (!isOn[address]) {
		isOn[address] = true;
		for (int reg = 0; reg < REGISTERS; reg++)
			sensor->registers[reg] = AT_POWER_ON[reg];
	}
	/* Eighths of a degree in the upper 11 bits, rounded down, as a conversion that is still under way. */
	const int eighths = (int)(celsius * 8 + 55 * 8) - 55 * 8;
	sensor->registers[TEMPERATURE] = (uint16_t)(eighths * 32);
	return sensor;
}

int32_t i2c_bus_read(int address, int reg, uint8_t *bytes, uint32_t length)
{
	pthread_mutex_lock(&lock);
	Sensor *sensor = sensor_at(address);
	if (sensor) {
		if (reg >= 0)
			sensor->pointer = (uint8_t)reg % REGISTERS;
		const uint16_t value = sensor->registers[sensor->pointer];
		for (uint32_t index = 0; index < length; index++) {
			const bool isUpper = sensor->pointer != CONFIGURATION && index % 2 == 0;
			bytes[index] = (uint8_t)(isUpper ? value >> 8 : value);
		}
	}
	pthread_mutex_unlock(&lock);
	return sensor ? 0 : NOT_FOUND;
}

/* A byte chooses the register; what follows is its new value. The temperature cannot be written. */
static void take(Sensor *sensor, const uint8_t *bytes, uint32_t length)
{
	if (length > 0)
		sensor->pointer = bytes[0] % REGISTERS;
	if (sensor->pointer == CONFIGURATION && length >= 2)
		sensor->registers[CONFIGURATION] = bytes[1] & 0x1F;
	if (sensor->pointer >= HYSTERESIS && length >= 3)
		sensor->registers[sensor->pointer] = (uint16_t)(bytes[1] << 8 | (bytes[2] & 0x80));
}

int32_t i2c_bus_write(int address, const uint8_t *bytes, uint32_t length)
{
	pthread_mutex_lock(&lock);
	Sensor *sensor = sensor_at(address);
	if (sensor)
		take(sensor, bytes, length);
	pthread_mutex_unlock(&lock);
	return sensor ? 0 : NOT_FOUND;
}
