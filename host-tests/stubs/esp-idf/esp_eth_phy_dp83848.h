/* Stub, written for tests: the component dp83848 of Espressif's registry, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_PHY_DP83848_H
#define STUB_ESP_ETH_PHY_DP83848_H

#include "esp_eth.h"

esp_eth_phy_t *esp_eth_phy_new_dp83848(const eth_phy_config_t *config);

#endif
