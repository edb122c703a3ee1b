/*
 * Holds the simulated console's pins and bus to docs/spec/simulated-console.md#pins: what `pins.txt` connects. The directory is
 * the program's argument. Prints what does not hold.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "holds.h"
#include "i2c-bus.h"
#include "options.h"
#include "pins-board.h"
#include "pins.h"

Options options;

static void connect(const char *lines)
{
	char path[MAXIMUM_PATH_BYTES];
	snprintf(path, sizeof(path), "%s/pins.txt", options.state);
	FILE *file = fopen(path, "w");
	fputs(lines, file);
	fclose(file);
}

static void disconnect(void)
{
	char path[MAXIMUM_PATH_BYTES];
	snprintf(path, sizeof(path), "%s/pins.txt", options.state);
	unlink(path);
}

static void check_voltages(void)
{
	pins_reset();
	for (int pin = 0; pin < 49; pin++)
		HOLDS(pins_millivolts(pin) == (pin >= 1 && pin <= 10 ? 0 : -19), "pin %d without a connection", pin);
	connect("# a battery\nadc 2 1600\n\n adc 0x03 3300 # the supply\nadc 4 0.4\nlevel 5 1\n");
	HOLDS(pins_millivolts(2) == 1600 && pins_millivolts(3) == 3300 && pins_millivolts(4) == 0);
	HOLDS(pins_read(2) == 0 && pins_read(3) == 1 && pins_read(5) == 1 && pins_millivolts(5) == 3300);
	HOLDS(pins_mode(6, PINS_INPUT_PULL_UP) == 0 && pins_millivolts(6) == 3300);
	HOLDS(pins_mode(2, PINS_OUTPUT) == 0 && pins_millivolts(2) == -1, "the voltage of an output");
	HOLDS(pins_mode(2, PINS_INPUT) == 0 && pins_millivolts(2) == 1600);
	connect("adc 2 100\n");
	HOLDS(pins_millivolts(2) == 100 && pins_millivolts(3) == 0, "a change takes effect at once");
}

static void check_pulses(void)
{
	static const int32_t WRONG[][3] = {
		{ 49, 1000, 0 }, { -1, 1000, 0 }, { 2, 9, 0 }, { 2, 40001, 0 }, { 2, -1, 0 }, { 2, 1000, -1 }, { 2, 1000, 65536 },
	};
	pins_reset();
	connect("wire 20 2\nwire 21 3\nwire 22 22\n");
	for (size_t index = 0; index < sizeof(WRONG) / sizeof(WRONG[0]); index++)
		HOLDS(pins_pulse(WRONG[index][0], WRONG[index][1], WRONG[index][2]) == -22, "case %zu", index);
	HOLDS(pins_millivolts(2) == 0, "a wire to an input");
	HOLDS(pins_pulse(20, 10, 65535) == 0 && pins_millivolts(2) == 3300 && pins_read(2) == 1);
	HOLDS(pins_pulse(20, 40000, 32768) == 0 && pins_millivolts(2) == 1650, "other pulses on the same pin");
	HOLDS(pins_write(20, 1) == -1 && pins_read(20) == 0 && pins_millivolts(20) == -1, "a pin with pulses");
	HOLDS(pins_pulse(21, 50, 0) == 0 && pins_millivolts(3) == 0 && pins_pulse(22, 50, 0) == 0);
	HOLDS(pins_pulse(23, 50, 0) == -28 && pins_mode(23, PINS_OUTPUT) == 0, "one pin more than have pulses");
	HOLDS(pins_mode(21, PINS_OUTPUT) == 0 && pins_read(21) == 0, "gpio_mode ends pulses");
	HOLDS(pins_write(21, 1) == 0 && pins_millivolts(3) == 3300, "and a wire from an output has its level");
	HOLDS(pins_pulse(23, 50, 655) == 0, "and another pin may have them");
	pins_reset();
	HOLDS(pins_millivolts(2) == 0 && pins_write(23, 1) == -1, "a reset ends pulses");
	HOLDS(pins_pulse(30, 50, 1) == 0 && pins_pulse(31, 50, 1) == 0 && pins_pulse(32, 50, 1) == 0, "of every pin");
	pins_reset();
}

static int temperature(int address)
{
	uint8_t bytes[2] = { 0 };
	HOLDS(i2c_bus_read(address, 0, bytes, 2) == 0, "address %d", address);
	return (int16_t)(bytes[0] << 8 | bytes[1]) / 32;
}

static void check_sensor(void)
{
	uint8_t bytes[4] = { 0 };
	connect("lm75 0x48 21.5\nlm75 0x4f -0.125\nlm75 0x49 -55\nlm75 0x4a 125\n");
	HOLDS(temperature(0x48) == 21 * 8 + 4 && temperature(0x4f) == -1);
	HOLDS(temperature(0x49) == -55 * 8 && temperature(0x4a) == 125 * 8);
	HOLDS(i2c_bus_read(0x4b, 0, bytes, 1) == -2 && i2c_bus_write(0x4b, bytes, 0) == -2, "an address without a sensor");
	HOLDS(i2c_bus_write(0x48, bytes, 0) == 0, "whether a sensor answers");
	HOLDS(i2c_bus_read(0x48, 3, bytes, 4) == 0 && memcmp(bytes, "\x50\0\x50\0", 4) == 0, "the limit at power on");
	HOLDS(i2c_bus_read(0x48, 2, bytes, 2) == 0 && bytes[0] == 75);
	HOLDS(i2c_bus_write(0x48, (const uint8_t[]){ 3, 30, 0xFF }, 3) == 0);
	HOLDS(i2c_bus_read(0x48, -1, bytes, 2) == 0 && bytes[0] == 30 && bytes[1] == 0x80, "the register named last");
	HOLDS(i2c_bus_write(0x48, (const uint8_t[]){ 1, 0xFF }, 2) == 0);
	HOLDS(i2c_bus_read(0x48, 1, bytes, 2) == 0 && bytes[0] == 0x1F && bytes[1] == 0x1F, "the configuration");
	HOLDS(i2c_bus_write(0x48, (const uint8_t[]){ 0, 1, 2 }, 3) == 0 && temperature(0x48) == 172, "a temperature stays");
	HOLDS(i2c_bus_read(0x4f, 3, bytes, 1) == 0 && bytes[0] == 80, "a sensor has registers of its own");
	disconnect();
	HOLDS(temperature(0x48) >= 20 * 8 && temperature(0x48) <= 30 * 8, "the sensor without a file");
	HOLDS(i2c_bus_read(0x49, 0, bytes, 1) == -2, "which is the only one");
}

/* Whatever the file has, a pin has a voltage of the supply's, and the program goes on. */
static void check_bad_lines(void)
{
	static const char *const LINES[] = {
		"adc 2\n", "adc 2 3301\n", "adc 2 nan\n", "adc 2 1e999\n", "adc 49 1\n", "adc -1 1\n", "adc 2 1650 more\n",
		"level 2 2\n", "wire 2 49\n", "lm75 0x47 20\n", "lm75 0x48 126\n", "volts 2 1\n", "\xff\xfe", "adc",
		"averyverylongword 2 1\n", "adc 99999999999999999999 1\n",
	};
	for (size_t index = 0; index < sizeof(LINES) / sizeof(LINES[0]); index++) {
		connect(LINES[index]);
		HOLDS(pins_millivolts(2) == 0, "line %zu", index);
	}
	char path[MAXIMUM_PATH_BYTES];
	snprintf(path, sizeof(path), "%s/pins.txt", options.state);
	FILE *file = fopen(path, "w");
	for (int index = 0; index < 100000; index++)
		fprintf(file, "adc 3 %d", index);
	for (int index = 0; index < 1000; index++)
		fputs("\nadc 3 1", file);
	fclose(file);
	HOLDS(pins_millivolts(3) == 1 && pins_millivolts(2) == 0, "a file of a megabyte");
	disconnect();
}

int main(int count, char *arguments[])
{
	if (count != 2)
		return 2;
	options.state = arguments[1];
	check_voltages();
	check_pulses();
	check_sensor();
	fclose(stderr);		/* what is said of bad lines */
	check_bad_lines();
	return failures > 0;
}
