/* The Ethernet of the emulator (QEMU's OpenCores model), which no chip has. */
#include "ethernet-chip.h"

#include "mc.defines.h"

/* Nothing is negotiated. */
enum { NEGOTIATION_LIMIT_MS = 100 };

const bool ethernetChipNeedsAddress = false;

bool ethernet_chip_open(esp_eth_mac_t **mac, esp_eth_phy_t **phy)
{
	const eth_mac_config_t options = ETH_MAC_DEFAULT_CONFIG();
	eth_phy_config_t transceiver = ETH_PHY_DEFAULT_CONFIG();
	transceiver.phy_addr = MODDEF_ETHERNET_ADDRESS;
	transceiver.reset_gpio_num = -1;
	transceiver.autonego_timeout_ms = NEGOTIATION_LIMIT_MS;
	*mac = esp_eth_mac_new_openeth(&options);
	*phy = esp_eth_phy_new_generic(&transceiver);
	return *mac && *phy;
}
