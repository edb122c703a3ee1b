/* Stub, written for tests: the component w5500 of Espressif's registry, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_PHY_W5500_H
#define STUB_ESP_ETH_PHY_W5500_H

#include "esp_eth.h"

esp_eth_phy_t *esp_eth_phy_new_w5500(const eth_phy_config_t *config);

#endif
