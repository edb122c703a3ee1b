/*
 * Voltages at pins, by the chip's first converter: its second one is the radio's. A pin that is measured is analogue
 * meanwhile. Calls come one at a time (pins-wiring.h).
 */
#include <stdbool.h>
#include <stddef.h>

#include "esp_adc/adc_cali.h"
#include "esp_adc/adc_cali_scheme.h"
#include "esp_adc/adc_oneshot.h"
#include "pins-wiring.h"

enum { NO_HARDWARE = -19, IO_ERROR = -5 };

static adc_oneshot_unit_handle_t unit;
static adc_cali_handle_t calibration;

/* The highest range: up to about 3.1 V. */
static const adc_oneshot_chan_cfg_t RANGE = { .atten = ADC_ATTEN_DB_12, .bitwidth = ADC_BITWIDTH_DEFAULT };

static bool create_calibration(void)
{
#if ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED
	const adc_cali_curve_fitting_config_t options = {
		.unit_id = ADC_UNIT_1, .atten = RANGE.atten, .bitwidth = RANGE.bitwidth,
	};
	return adc_cali_create_scheme_curve_fitting(&options, &calibration) == ESP_OK;
#else
	const adc_cali_line_fitting_config_t options = {
		.unit_id = ADC_UNIT_1, .atten = RANGE.atten, .bitwidth = RANGE.bitwidth,
	};
	return adc_cali_create_scheme_line_fitting(&options, &calibration) == ESP_OK;
#endif
}

/* No-op after the first success. */
static bool start(void)
{
	const adc_oneshot_unit_init_cfg_t options = { .unit_id = ADC_UNIT_1 };
	if (!unit && adc_oneshot_new_unit(&options, &unit) != ESP_OK)
		unit = NULL;
	if (unit && !calibration && !create_calibration())
		calibration = NULL;
	return unit && calibration;
}

int32_t pins_wiring_millivolts(int pin, int mode)
{
	adc_unit_t converter;
	adc_channel_t channel;
	int millivolts = 0;
	if (adc_oneshot_io_to_channel(pin, &converter, &channel) != ESP_OK || converter != ADC_UNIT_1)
		return NO_HARDWARE;
	if (!start())
		return IO_ERROR;
	const bool isDone = adc_oneshot_config_channel(unit, channel, &RANGE) == ESP_OK
		&& adc_oneshot_get_calibrated_result(unit, calibration, channel, &millivolts) == ESP_OK;
	pins_wiring_configure(pin, mode);
	return isDone ? (millivolts < 0 ? 0 : millivolts) : IO_ERROR;
}
