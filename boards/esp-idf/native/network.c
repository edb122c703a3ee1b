/* svc/network and the emulator's Ethernet: a first version. */
#include <stdio.h>
#include "board-network.h"
#include "esp_eth.h"
#include "esp_event.h"
#include "esp_log.h"
#include "esp_netif.h"
#include "machine.h"

static esp_netif_t *ethernet;

void board_network_start(void)
{
	ESP_ERROR_CHECK(esp_netif_init());
	ESP_ERROR_CHECK(esp_event_loop_create_default());
	esp_netif_config_t configuration = ESP_NETIF_DEFAULT_ETH();
	ethernet = esp_netif_new(&configuration);
	eth_mac_config_t mac = ETH_MAC_DEFAULT_CONFIG();
	eth_phy_config_t phy = ETH_PHY_DEFAULT_CONFIG();
	phy.autonego_timeout_ms = 100;
	esp_eth_config_t config = ETH_DEFAULT_CONFIG(esp_eth_mac_new_openeth(&mac), esp_eth_phy_new_dp83848(&phy));
	esp_eth_handle_t handle;
	ESP_ERROR_CHECK(esp_eth_driver_install(&config, &handle));
	ESP_ERROR_CHECK(esp_netif_attach(ethernet, esp_eth_new_netif_glue(handle)));
	ESP_ERROR_CHECK(esp_eth_start(handle));
}

void xs_network_address(xsMachine *the)
{
	esp_netif_ip_info_t info;
	char text[16] = "";
	if (esp_netif_get_ip_info(ethernet, &info) == ESP_OK && info.ip.addr != 0)
		(void)esp_ip4addr_ntoa(&info.ip, text, sizeof(text));
	xsmcSetString(xsResult, text);
}

void xs_network_address_ipv6(xsMachine *the)
{
	(void)the;
}

void xs_network_rssi(xsMachine *the)
{
	xsmcSetInteger(xsResult, 0);
}

void xs_network_has_address(xsMachine *the)
{
	xsmcSetBoolean(xsResult, true);
}
