/*
 * The I2C bus for apps, at 100 kHz, on two free pins (`i2c` in the manifest), with the chip's weak pull-ups beside those of
 * the devices. A board whose Ethernet has the pins has no bus.
 */
#include "board-i2c.h"

#include <pthread.h>

#include "board-sound.h"
#include "driver/i2c_master.h"
#include "i2c-bus.h"
#include "pin-map.h"
#include "pins-board.h"

enum { NOT_FOUND = -2, IO_ERROR = -5, NO_HARDWARE = -19 };

/* 256 bytes take 24 ms; a device may hold the clock down meanwhile. */
enum { CLOCK_HZ = 100000, TIMEOUT_MS = 100 };

static i2c_master_bus_handle_t bus;
static _Atomic bool isStarted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool board_i2c_has_pin(int pin)
{
	return isStarted && (pin == MODDEF_I2C_DATA || pin == MODDEF_I2C_CLOCK);
}

static bool is_free(int pin)
{
	return pin_map_is_free(pin) && !board_sound_has_pin(pin);
}

static int32_t take_pins(void)
{
	const i2c_master_bus_config_t options = {
		.i2c_port = -1,
		.sda_io_num = MODDEF_I2C_DATA,
		.scl_io_num = MODDEF_I2C_CLOCK,
		.clk_source = I2C_CLK_SRC_DEFAULT,
		.glitch_ignore_cnt = 7,
		.flags.enable_internal_pullup = true,
	};
	if (!is_free(MODDEF_I2C_DATA) || !is_free(MODDEF_I2C_CLOCK))
		return NO_HARDWARE;
	if (i2c_new_master_bus(&options, &bus) != ESP_OK)
		return IO_ERROR;
	isStarted = true;
	return 0;
}

/* No-op after the first success. */
static int32_t start(void)
{
	static const int PINS[] = { MODDEF_I2C_DATA, MODDEF_I2C_CLOCK };
	if (isStarted)
		return 0;
	if (!is_free(PINS[0]) || !is_free(PINS[1]))
		return NO_HARDWARE;
	return pins_hand_over(PINS, 2, take_pins);
}

/* A device is on the bus for one transfer: an app may ask for any of a hundred addresses. */
static int32_t open_device(int address, i2c_master_dev_handle_t *device)
{
	const i2c_device_config_t options = {
		.dev_addr_length = I2C_ADDR_BIT_LEN_7, .device_address = (uint16_t)address, .scl_speed_hz = CLOCK_HZ,
	};
	const int32_t error = start();
	if (error)
		return error;
	const esp_err_t probed = i2c_master_probe(bus, (uint16_t)address, TIMEOUT_MS);
	if (probed != ESP_OK)
		return probed == ESP_ERR_NOT_FOUND ? NOT_FOUND : IO_ERROR;
	return i2c_master_bus_add_device(bus, &options, device) == ESP_OK ? 0 : IO_ERROR;
}

/* @param done what the transfer returned */
static int32_t close_device(i2c_master_dev_handle_t device, esp_err_t done)
{
	(void)i2c_master_bus_rm_device(device);
	return done == ESP_OK ? 0 : IO_ERROR;
}

int32_t i2c_bus_read(int address, int reg, uint8_t *bytes, uint32_t length)
{
	const uint8_t name = (uint8_t)reg;
	i2c_master_dev_handle_t device;
	pthread_mutex_lock(&lock);
	int32_t result = open_device(address, &device);
	if (result == 0 && reg < 0)
		result = close_device(device, i2c_master_receive(device, bytes, length, TIMEOUT_MS));
	else if (result == 0)
		result = close_device(device, i2c_master_transmit_receive(device, &name, 1, bytes, length, TIMEOUT_MS));
	pthread_mutex_unlock(&lock);
	return result;
}

int32_t i2c_bus_write(int address, const uint8_t *bytes, uint32_t length)
{
	i2c_master_dev_handle_t device;
	pthread_mutex_lock(&lock);
	int32_t result = open_device(address, &device);
	if (result == 0)
		result = close_device(device, length ? i2c_master_transmit(device, bytes, length, TIMEOUT_MS) : ESP_OK);
	pthread_mutex_unlock(&lock);
	return result;
}
