/*
 * A W5500 on SPI, for chips without Ethernet of their own. It has a bus to itself: it would wait for each picture on the
 * display's.
 */
#include "driver/gpio.h"
#include "driver/spi_master.h"
#include "esp_eth_mac_w5500.h"
#include "esp_eth_phy_w5500.h"
#include "ethernet-chip.h"
#include "pin-map.h"

static const spi_host_device_t BUS = SPI3_HOST;

/* The chip's data sheet allows 33 MHz, wires on a breadboard less. */
enum { CLOCK_HZ = 20 * 1000 * 1000, QUEUE_LENGTH = 20 };

const bool ethernetChipNeedsAddress = true;

static bool start_bus(void)
{
	const spi_bus_config_t options = {
		.mosi_io_num = MODDEF_ETHERNET_MOSI,
		.miso_io_num = MODDEF_ETHERNET_MISO,
		.sclk_io_num = MODDEF_ETHERNET_CLOCK,
		.quadwp_io_num = -1,
		.quadhd_io_num = -1,
	};
	return spi_bus_initialize(BUS, &options, SPI_DMA_CH_AUTO) == ESP_OK && gpio_install_isr_service(0) == ESP_OK;
}

bool ethernet_chip_open(esp_eth_mac_t **mac, esp_eth_phy_t **phy)
{
	const eth_mac_config_t options = ETH_MAC_DEFAULT_CONFIG();
	eth_phy_config_t transceiver = ETH_PHY_DEFAULT_CONFIG();
	spi_device_interface_config_t device = {
		.clock_speed_hz = CLOCK_HZ,
		.spics_io_num = MODDEF_ETHERNET_SELECT,
		.queue_size = QUEUE_LENGTH,
	};
	eth_w5500_config_t chip = ETH_W5500_DEFAULT_CONFIG(BUS, &device);
	chip.int_gpio_num = MODDEF_ETHERNET_INTERRUPT;
	transceiver.phy_addr = MODDEF_ETHERNET_ADDRESS;
	transceiver.reset_gpio_num = MODDEF_ETHERNET_RESET;
	if (!start_bus())
		return false;
	*mac = esp_eth_mac_new_w5500(&chip, &options);
	*phy = esp_eth_phy_new_w5500(&transceiver);
	return *mac && *phy;
}
