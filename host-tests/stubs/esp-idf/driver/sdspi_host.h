/* Stub, written for tests: what device/hosts/esp32 uses of esp_driver_sdspi, by its documentation; nothing of it runs. */
#ifndef STUB_DRIVER_SDSPI_HOST_H
#define STUB_DRIVER_SDSPI_HOST_H

#include "driver/gpio.h"
#include "driver/spi_master.h"

typedef struct { int slot, max_freq_khz; } sdmmc_host_t;
typedef struct { spi_host_device_t host_id; gpio_num_t gpio_cs; } sdspi_device_config_t;
#define SDSPI_HOST_DEFAULT() { .max_freq_khz = 20000 }
#define SDSPI_DEVICE_CONFIG_DEFAULT() { .host_id = SPI2_HOST }

#endif
