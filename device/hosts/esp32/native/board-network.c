/* svc/network: the joined network, as ESP-IDF's interface and the radio see it. wifi-radio.c joins one. */
#include "board-network.h"

#include <stdbool.h>
#include <stdio.h>

#include "esp_event.h"
#include "esp_wifi.h"
#include "machine.h"

static esp_netif_t *station;

void board_network_start(void)
{
	ESP_ERROR_CHECK(esp_netif_init());
	ESP_ERROR_CHECK(esp_event_loop_create_default());
	station = esp_netif_create_default_wifi_sta();
}

esp_netif_t *board_network_interface(void)
{
	return station;
}

static bool has_address(esp_netif_ip_info_t *info)
{
	return esp_netif_get_ip_info(station, info) == ESP_OK && info->ip.addr != 0;
}

void xs_network_address(xsMachine *the)
{
	esp_netif_ip_info_t info;
	char text[16] = "";
	if (has_address(&info))
		(void)esp_ip4addr_ntoa(&info.ip, text, sizeof(text));
	xsmcSetString(xsResult, text);
}

/* One that routers pass on, as IPv4's here. */
void xs_network_address_ipv6(xsMachine *the)
{
	esp_ip6_addr_t address;
	char text[40];
	if (esp_netif_get_ip6_global(station, &address) != ESP_OK)
		return;
	snprintf(text, sizeof(text), IPV6STR, IPV62STR(address));
	xsmcSetString(xsResult, text);
}

void xs_network_rssi(xsMachine *the)
{
	wifi_ap_record_t accessPoint;
	esp_netif_ip_info_t info;
	bool isJoined = has_address(&info) && esp_wifi_sta_get_ap_info(&accessPoint) == ESP_OK;
	xsmcSetInteger(xsResult, isJoined ? accessPoint.rssi : 0);
}
