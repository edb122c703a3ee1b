/* Stub, written for tests: both schemes of esp_adc, of which a chip has one; nothing of it runs. */
#ifndef STUB_ESP_ADC_ADC_CALI_SCHEME_H
#define STUB_ESP_ADC_ADC_CALI_SCHEME_H

#include "esp_adc/adc_cali.h"
#include "esp_err.h"

/* An ESP32 has the line, as this stub unless it is told otherwise; an ESP32-S3 the curve. */
#ifndef ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED
#define ADC_CALI_SCHEME_CURVE_FITTING_SUPPORTED 0
#endif

typedef struct {
	adc_unit_t unit_id;
	int chan;
	adc_atten_t atten;
	adc_bitwidth_t bitwidth;
} adc_cali_curve_fitting_config_t;

typedef struct {
	adc_unit_t unit_id;
	adc_atten_t atten;
	adc_bitwidth_t bitwidth;
} adc_cali_line_fitting_config_t;

esp_err_t adc_cali_create_scheme_curve_fitting(const adc_cali_curve_fitting_config_t *config, adc_cali_handle_t *handle);
esp_err_t adc_cali_create_scheme_line_fitting(const adc_cali_line_fitting_config_t *config, adc_cali_handle_t *handle);

#endif
