/*
 * Voltages, pulses and the I2C bus of a board, over doubles of the chip's drivers. Prints what does not hold.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "driver/gpio.h"
#include "driver/i2c_master.h"
#include "driver/ledc.h"
#include "esp_adc/adc_cali_scheme.h"
#include "esp_adc/adc_oneshot.h"
#include "holds.h"
#include "i2c-bus.h"
#include "mc.defines.h"
#include "pins-board.h"
#include "pins.h"

static bool soundHasPins;

bool board_sound_has_pin(int pin) { return soundHasPins && pin == MODDEF_I2C_DATA; }

/* The pins of an ESP32-S3: the first converter has 1 to 10, the second one 11 to 20. */
static const int MEASURED_PIN = 2, PIN_WITHOUT_CONVERTER = 38;

static gpio_mode_t modes[64];
static bool isAnalogue[64];

esp_err_t gpio_config(const gpio_config_t *config)
{
	for (int pin = 0; pin < 64; pin++) {
		if (config->pin_bit_mask >> pin & 1) {
			modes[pin] = config->mode;
			isAnalogue[pin] = false;
		}
	}
	return ESP_OK;
}

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level) { (void)pin, (void)level; return ESP_OK; }
int gpio_get_level(gpio_num_t pin) { return !isAnalogue[pin]; }

static int units, calibrations, millivolts = 1234;
static bool hasConverter = true;

esp_err_t adc_oneshot_new_unit(const adc_oneshot_unit_init_cfg_t *config, adc_oneshot_unit_handle_t *unit)
{
	HOLDS(config->unit_id == ADC_UNIT_1);
	units++;
	*unit = hasConverter ? (adc_oneshot_unit_handle_t)&units : NULL;
	return hasConverter ? ESP_OK : ESP_FAIL;
}

esp_err_t adc_oneshot_io_to_channel(int pin, adc_unit_t *unit, adc_channel_t *channel)
{
	*unit = pin > 10 ? ADC_UNIT_2 : ADC_UNIT_1;
	*channel = (adc_channel_t)(pin - 1);
	return pin >= 1 && pin <= 20 ? ESP_OK : ESP_FAIL;
}

esp_err_t adc_cali_create_scheme_curve_fitting(const adc_cali_curve_fitting_config_t *config, adc_cali_handle_t *handle)
{
	HOLDS(config->atten == ADC_ATTEN_DB_12);
	calibrations++;
	*handle = (adc_cali_handle_t)&calibrations;
	return ESP_OK;
}

esp_err_t adc_oneshot_config_channel(adc_oneshot_unit_handle_t unit, adc_channel_t channel,
	const adc_oneshot_chan_cfg_t *config)
{
	HOLDS(unit && config->atten == ADC_ATTEN_DB_12);
	isAnalogue[channel + 1] = true;
	return ESP_OK;
}

esp_err_t adc_oneshot_get_calibrated_result(adc_oneshot_unit_handle_t unit, adc_cali_handle_t calibration,
	adc_channel_t channel, int *result)
{
	HOLDS(unit && calibration && isAnalogue[channel + 1]);
	*result = millivolts;
	return millivolts > 5000 ? ESP_FAIL : ESP_OK;
}

static void check_voltages(void)
{
	hasConverter = false;
	HOLDS(pins_millivolts(MEASURED_PIN) == -5, "a converter that cannot be had");
	hasConverter = true;
	HOLDS(pins_millivolts(MEASURED_PIN) == 1234 && pins_millivolts(MEASURED_PIN) == 1234);
	HOLDS(units == 2 && calibrations == 1, "the converter is had once");
	HOLDS(pins_read(MEASURED_PIN) == 1, "a pin that was measured can be read");
	millivolts = -3;
	HOLDS(pins_millivolts(MEASURED_PIN) == 0, "less than nothing");
	millivolts = 9999;
	HOLDS(pins_millivolts(MEASURED_PIN) == -5 && !isAnalogue[MEASURED_PIN], "a conversion that fails");
	HOLDS(pins_millivolts(PIN_WITHOUT_CONVERTER) == -19 && pins_millivolts(1) == -22 && pins_millivolts(11) == -22);
}

static struct { int bits, hz; } timers[4];
static struct { int pin, timer; uint32_t duty; } channels[4];

esp_err_t ledc_timer_config(const ledc_timer_config_t *config)
{
	HOLDS(config->timer_num != LEDC_TIMER_0, "the timer of the display's light");
	/* The timer divides 80 MHz by 1 to 1024, for each of 2^bits steps. */
	const double divider = 80e6 / ((double)config->freq_hz * (1 << config->duty_resolution));
	HOLDS(divider >= 1 && divider < 1024, "%u Hz", (unsigned)config->freq_hz);
	timers[config->timer_num].bits = config->duty_resolution;
	timers[config->timer_num].hz = (int)config->freq_hz;
	return ESP_OK;
}

esp_err_t ledc_channel_config(const ledc_channel_config_t *config)
{
	HOLDS(config->channel != LEDC_CHANNEL_0, "the channel of the display's light");
	channels[config->channel].pin = config->gpio_num;
	channels[config->channel].timer = config->timer_sel;
	channels[config->channel].duty = config->duty;
	return ESP_OK;
}

esp_err_t ledc_stop(ledc_mode_t mode, ledc_channel_t channel, uint32_t idleLevel)
{
	(void)mode;
	HOLDS(idleLevel == 0);
	channels[channel].pin = -1;
	return ESP_OK;
}

/* The share of the pin's pulses, in thousandths; -1 without pulses. */
static int share_of(int pin)
{
	for (int index = 1; index < 4; index++) {
		if (channels[index].pin == pin)
			return (int)(channels[index].duty * 1000 / (1u << timers[channels[index].timer].bits));
	}
	return -1;
}

static void check_pulses(void)
{
	static const int32_t HZ[] = { PINS_PULSES_MIN_HZ, 50, 999, 1000, PINS_PULSES_MAX_HZ };
	for (size_t index = 0; index < sizeof(HZ) / sizeof(HZ[0]); index++) {
		HOLDS(pins_pulse(38, HZ[index], 0) == 0 && share_of(38) == 0);
		HOLDS(pins_pulse(38, HZ[index], 65535) == 0 && share_of(38) == 1000, "always on at %d Hz", (int)HZ[index]);
		HOLDS(pins_pulse(38, HZ[index], 16384) == 0 && share_of(38) == 250);
	}
	HOLDS(pins_pulse(39, 50, 6554) == 0 && pins_pulse(40, 2000, 32768) == 0);
	HOLDS(share_of(38) == 250 && share_of(39) >= 99 && share_of(39) <= 100 && share_of(40) == 500, "each pin has its own");
	HOLDS(pins_pulse(2, 50, 0) == -28 && pins_pulse(1, 50, 0) == -22);
	HOLDS(pins_mode(39, PINS_INPUT) == 0 && share_of(39) == -1 && modes[39] == GPIO_MODE_INPUT);
	HOLDS(pins_pulse(2, 50, 65535) == 0 && share_of(2) == 1000);
	pins_reset();
	HOLDS(share_of(2) == -1 && share_of(38) == -1 && share_of(40) == -1, "pulses after power on");
}

static int openDevices;
static int presentAddress = 0x48;
static uint8_t lastWritten[8];
static size_t lastLength;
static bool isDisturbed;

esp_err_t i2c_new_master_bus(const i2c_master_bus_config_t *config, i2c_master_bus_handle_t *bus)
{
	HOLDS(config->sda_io_num == MODDEF_I2C_DATA && config->scl_io_num == MODDEF_I2C_CLOCK);
	*bus = (i2c_master_bus_handle_t)&presentAddress;
	return ESP_OK;
}

esp_err_t i2c_master_probe(i2c_master_bus_handle_t bus, uint16_t address, int timeoutMs)
{
	HOLDS(bus && timeoutMs > 0);
	return isDisturbed ? ESP_FAIL : address == presentAddress ? ESP_OK : ESP_ERR_NOT_FOUND;
}

esp_err_t i2c_master_bus_add_device(i2c_master_bus_handle_t bus, const i2c_device_config_t *config,
	i2c_master_dev_handle_t *device)
{
	HOLDS(bus && config->device_address == presentAddress);
	openDevices++;
	*device = (i2c_master_dev_handle_t)&openDevices;
	return ESP_OK;
}

esp_err_t i2c_master_bus_rm_device(i2c_master_dev_handle_t device)
{
	HOLDS(device);
	openDevices--;
	return ESP_OK;
}

esp_err_t i2c_master_transmit(i2c_master_dev_handle_t device, const uint8_t *bytes, size_t length, int timeoutMs)
{
	HOLDS(device && timeoutMs > 0 && length > 0);
	memcpy(lastWritten, bytes, length);
	lastLength = length;
	return ESP_OK;
}

esp_err_t i2c_master_receive(i2c_master_dev_handle_t device, uint8_t *bytes, size_t length, int timeoutMs)
{
	HOLDS(device && timeoutMs > 0);
	memset(bytes, 7, length);
	return ESP_OK;
}

esp_err_t i2c_master_transmit_receive(i2c_master_dev_handle_t device, const uint8_t *bytes, size_t length, uint8_t *into,
	size_t room, int timeoutMs)
{
	HOLDS(i2c_master_transmit(device, bytes, length, timeoutMs) == ESP_OK);
	memset(into, 9, room);
	return bytes[0] == 99 ? ESP_FAIL : ESP_OK;
}

static void check_bus(void)
{
	uint8_t bytes[4] = { 0 };
	HOLDS(pins_pulse(MODDEF_I2C_DATA, 50, 65535) == 0 && share_of(MODDEF_I2C_DATA) == 1000, "a pin of the bus that is not used");
	HOLDS(pins_mode(MODDEF_I2C_CLOCK, PINS_OUTPUT) == 0 && modes[MODDEF_I2C_CLOCK] == GPIO_MODE_OUTPUT);
	HOLDS(i2c_bus_write(0x48, (const uint8_t[]){ 1, 2 }, 2) == 0 && lastLength == 2 && lastWritten[1] == 2);
	HOLDS(share_of(MODDEF_I2C_DATA) == -1 && modes[MODDEF_I2C_CLOCK] == GPIO_MODE_INPUT, "pulses and outputs end before");
	HOLDS(pins_pulse(38, 50, 0) == 0 && pins_pulse(39, 50, 0) == 0 && pins_pulse(40, 50, 0) == 0, "no generator is lost");
	HOLDS(pins_read(MODDEF_I2C_DATA) == -22 && pins_mode(MODDEF_I2C_CLOCK, PINS_OUTPUT) == -22, "the bus has its pins");
	HOLDS(i2c_bus_read(0x48, 3, bytes, 4) == 0 && bytes[3] == 9 && lastLength == 1 && lastWritten[0] == 3);
	HOLDS(i2c_bus_read(0x48, -1, bytes, 2) == 0 && bytes[1] == 7 && bytes[2] == 9);
	HOLDS(i2c_bus_write(0x48, bytes, 0) == 0 && i2c_bus_write(0x49, bytes, 0) == -2 && i2c_bus_read(0x49, 0, bytes, 1) == -2);
	HOLDS(i2c_bus_read(0x48, 99, bytes, 1) == -5, "a transfer that fails");
	isDisturbed = true;
	HOLDS(i2c_bus_read(0x48, 0, bytes, 1) == -5 && i2c_bus_write(0x48, bytes, 0) == -5, "a bus that is held down");
	HOLDS(openDevices == 0, "%d devices stay open", openDevices);
}

int main(void)
{
	pins_reset();
	check_voltages();
	check_pulses();
	check_bus();
	return failures > 0;
}
