/* Stub, written for tests: the component rtl8201 of Espressif's registry, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_PHY_RTL8201_H
#define STUB_ESP_ETH_PHY_RTL8201_H

#include "esp_eth.h"

esp_eth_phy_t *esp_eth_phy_new_rtl8201(const eth_phy_config_t *config);

#endif
