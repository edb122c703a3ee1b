/* The parts of a wired network that differ between the options; one file is compiled. */
#ifndef SVC_ETHERNET_CHIP_H
#define SVC_ETHERNET_CHIP_H

#include <stdbool.h>

#include "esp_eth.h"

/*
 * Makes the driver's two halves. Whoever fails to use them leaks them: it happens once.
 * @returns false if one cannot be made
 */
bool ethernet_chip_open(esp_eth_mac_t **mac, esp_eth_phy_t **phy);

/* Whether the chip has no address of its own, and is to be given one of the ESP32's. */
extern const bool ethernetChipNeedsAddress;

#endif
