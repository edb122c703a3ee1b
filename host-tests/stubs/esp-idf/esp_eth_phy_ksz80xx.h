/* Stub, written for tests: the component ksz80xx of Espressif's registry, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_PHY_KSZ80XX_H
#define STUB_ESP_ETH_PHY_KSZ80XX_H

#include "esp_eth.h"

esp_eth_phy_t *esp_eth_phy_new_ksz80xx(const eth_phy_config_t *config);

#endif
