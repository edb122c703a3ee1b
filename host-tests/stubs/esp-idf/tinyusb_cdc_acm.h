/* Stub, written for tests: what device/hosts/esp32 uses of esp_tinyusb's CDC ACM, by its documentation; nothing of it runs. */
#ifndef STUB_TINYUSB_CDC_ACM_H
#define STUB_TINYUSB_CDC_ACM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"

typedef enum { TINYUSB_CDC_ACM_0 } tinyusb_cdcacm_itf_t;
typedef struct { bool dtr, rts; } cdcacm_event_line_state_changed_data_t;
typedef struct {
	int type;
	cdcacm_event_line_state_changed_data_t line_state_changed_data;
} cdcacm_event_t;
typedef void (*tusb_cdcacm_callback_t)(int itf, cdcacm_event_t *event);

typedef struct {
	tinyusb_cdcacm_itf_t cdc_port;
	tusb_cdcacm_callback_t callback_rx;
	tusb_cdcacm_callback_t callback_rx_wanted_char;
	tusb_cdcacm_callback_t callback_line_state_changed;
	tusb_cdcacm_callback_t callback_line_coding_changed;
} tinyusb_config_cdcacm_t;

esp_err_t tinyusb_cdcacm_init(const tinyusb_config_cdcacm_t *config);
esp_err_t tinyusb_cdcacm_read(tinyusb_cdcacm_itf_t itf, uint8_t *buffer, size_t size, size_t *read);
size_t tinyusb_cdcacm_write_queue(tinyusb_cdcacm_itf_t itf, const uint8_t *buffer, size_t size);
esp_err_t tinyusb_cdcacm_write_flush(tinyusb_cdcacm_itf_t itf, uint32_t ticks);

#endif
