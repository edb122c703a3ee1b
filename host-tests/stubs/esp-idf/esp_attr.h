/* Stub, written for tests: what device/hosts/esp32 uses of ESP-IDF's attributes, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ATTR_H
#define STUB_ESP_ATTR_H

#define RTC_NOINIT_ATTR __attribute__((section(".rtc_noinit")))

#endif
