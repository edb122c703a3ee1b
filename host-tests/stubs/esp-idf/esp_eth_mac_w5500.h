/* Stub, written for tests: the component w5500 of Espressif's registry, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_MAC_W5500_H
#define STUB_ESP_ETH_MAC_W5500_H

#include "driver/spi_master.h"
#include "esp_eth.h"

typedef struct {
	int int_gpio_num;
	uint32_t poll_period_ms;
	spi_host_device_t spi_host_id;
	spi_device_interface_config_t *spi_devcfg;
} eth_w5500_config_t;
#define ETH_W5500_DEFAULT_CONFIG(host, device) { .int_gpio_num = 4, .spi_host_id = host, .spi_devcfg = device }

esp_eth_mac_t *esp_eth_mac_new_w5500(const eth_w5500_config_t *chip, const eth_mac_config_t *config);

#endif
