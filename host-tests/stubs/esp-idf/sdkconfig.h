/* Stub, written for tests: what device/hosts/esp32 uses of the configuration that ESP-IDF writes, by its documentation; nothing of it runs. */
#ifndef STUB_SDKCONFIG_H
#define STUB_SDKCONFIG_H

#define CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ 240
#define CONFIG_LWIP_IPV6_NUM_ADDRESSES 3

#endif
