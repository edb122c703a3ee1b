/*
 * The ESP32's own Ethernet, and a transceiver on its RMII pins. The transceiver, or an oscillator, makes the clock of
 * 50 MHz: one that the chip itself makes disturbs its radio (erratum of the ESP32). Which transceiver it is says the
 * build; their drivers have one form.
 */
#include "ethernet-chip.h"
#include "mc.defines.h"

#include MODDEF_ETHERNET_PHY_HEADER

const bool ethernetChipNeedsAddress = false;

bool ethernet_chip_open(esp_eth_mac_t **mac, esp_eth_phy_t **phy)
{
	const eth_mac_config_t options = ETH_MAC_DEFAULT_CONFIG();
	eth_esp32_emac_config_t pins = ETH_ESP32_EMAC_DEFAULT_CONFIG();
	eth_phy_config_t transceiver = ETH_PHY_DEFAULT_CONFIG();
	pins.smi_gpio.mdc_num = MODDEF_ETHERNET_MDC;
	pins.smi_gpio.mdio_num = MODDEF_ETHERNET_MDIO;
	pins.clock_config.rmii.clock_mode = EMAC_CLK_EXT_IN;
	pins.clock_config.rmii.clock_gpio = MODDEF_ETHERNET_CLOCK;
	transceiver.phy_addr = MODDEF_ETHERNET_ADDRESS;
	transceiver.reset_gpio_num = MODDEF_ETHERNET_RESET;
	*mac = esp_eth_mac_new_esp32(&pins, &options);
	*phy = MODDEF_ETHERNET_PHY_NEW(&transceiver);
	return *mac && *phy;
}
