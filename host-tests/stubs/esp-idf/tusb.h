/* Stub, written for tests: what device/hosts/esp32 uses of TinyUSB, by its documentation; nothing of it runs. */
#ifndef STUB_TUSB_H
#define STUB_TUSB_H

#include <stdbool.h>
#include <stdint.h>

#ifndef CFG_TUSB_MCU
	#error "CFG_TUSB_MCU is not defined"
#endif

bool tud_disconnect(void);
void tud_cdc_n_read_flush(uint8_t itf);
bool tud_cdc_n_write_clear(uint8_t itf);
void tud_cdc_tx_complete_cb(uint8_t itf);

#endif
