/* Stub, written for tests: what device/hosts/esp32 uses of esp_adc, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ADC_ADC_CALI_H
#define STUB_ESP_ADC_ADC_CALI_H

typedef enum { ADC_UNIT_1, ADC_UNIT_2 } adc_unit_t;
typedef enum { ADC_ATTEN_DB_0, ADC_ATTEN_DB_12 = 3 } adc_atten_t;
typedef enum { ADC_BITWIDTH_DEFAULT } adc_bitwidth_t;
typedef struct adc_cali_scheme_t *adc_cali_handle_t;

#endif
