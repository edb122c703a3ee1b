/* Stub, written for tests: what device/hosts/esp32 uses of esp_adc, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ADC_ADC_ONESHOT_H
#define STUB_ESP_ADC_ADC_ONESHOT_H

#include "esp_adc/adc_cali.h"
#include "esp_err.h"

typedef enum { ADC_CHANNEL_0, ADC_CHANNEL_1 } adc_channel_t;
typedef struct adc_oneshot_unit_ctx_t *adc_oneshot_unit_handle_t;

typedef struct {
	adc_unit_t unit_id;
	int clk_src, ulp_mode;
} adc_oneshot_unit_init_cfg_t;

typedef struct {
	adc_atten_t atten;
	adc_bitwidth_t bitwidth;
} adc_oneshot_chan_cfg_t;

esp_err_t adc_oneshot_new_unit(const adc_oneshot_unit_init_cfg_t *config, adc_oneshot_unit_handle_t *unit);
esp_err_t adc_oneshot_io_to_channel(int pin, adc_unit_t *unit, adc_channel_t *channel);
esp_err_t adc_oneshot_config_channel(adc_oneshot_unit_handle_t unit, adc_channel_t channel,
	const adc_oneshot_chan_cfg_t *config);
esp_err_t adc_oneshot_get_calibrated_result(adc_oneshot_unit_handle_t unit, adc_cali_handle_t calibration,
	adc_channel_t channel, int *millivolts);

#endif
