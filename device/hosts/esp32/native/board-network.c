/*
 * svc/network: the network that the console is in. A wired one counts before the radio's, which wifi-radio.c joins;
 * board-ethernet.c, where it is built in, reports the wired one.
 */
#include "board-network.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "esp_event.h"
#include "esp_wifi.h"
#include "machine.h"
#include "sdkconfig.h"

enum { MAXIMUM_IPV6_ADDRESSES = CONFIG_LWIP_IPV6_NUM_ADDRESSES };

static esp_netif_t *station;
static esp_netif_t *_Atomic wired;		/* NULL while there is no wired network */

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

void board_network_set_wired(esp_netif_t *interface)
{
	wired = interface;
}

static esp_netif_t *current(void)
{
	esp_netif_t *const interface = wired;
	return interface ? interface : station;
}

static bool has_address(esp_netif_t *interface, esp_netif_ip_info_t *info)
{
	return esp_netif_get_ip_info(interface, info) == ESP_OK && info->ip.addr != 0;
}

void xs_network_address(xsMachine *the)
{
	esp_netif_ip_info_t info;
	char text[16] = "";
	if (has_address(current(), &info))
		(void)esp_ip4addr_ntoa(&info.ip, text, sizeof(text));
	xsmcSetString(xsResult, text);
}

/* A routable address, as for IPv4. */
void xs_network_address_ipv6(xsMachine *the)
{
	esp_ip6_addr_t address;
	char text[40];
	if (esp_netif_get_ip6_global(current(), &address) != ESP_OK)
		return;
	snprintf(text, sizeof(text), IPV6STR, IPV62STR(address));
	xsmcSetString(xsResult, text);
}

void xs_network_rssi(xsMachine *the)
{
	wifi_ap_record_t accessPoint;
	esp_netif_ip_info_t info;
	bool isJoined = !wired && has_address(station, &info) && esp_wifi_sta_get_ap_info(&accessPoint) == ESP_OK;
	xsmcSetInteger(xsResult, isJoined ? accessPoint.rssi : 0);
}

static bool has_ipv6(esp_netif_t *interface, const esp_ip6_addr_t *wanted)
{
	esp_ip6_addr_t addresses[MAXIMUM_IPV6_ADDRESSES];
	int count = esp_netif_get_all_ip6(interface, addresses);
	for (int index = 0; index < count; index++) {
		if (memcmp(addresses[index].addr, wanted->addr, sizeof(wanted->addr)) == 0)
			return true;
	}
	return false;
}

static bool has_ipv4(esp_netif_t *interface, uint32_t wanted)
{
	esp_netif_ip_info_t info;
	return esp_netif_get_ip_info(interface, &info) == ESP_OK && info.ip.addr == wanted;
}

/*
 * hasAddress(address): whether any interface has this address, including an access point's. Only the machine's task
 * creates and destroys interfaces, so iterating over them is safe.
 */
void xs_network_has_address(xsMachine *the)
{
	const char *text = xsmcToString(xsArg(0));
	esp_ip4_addr_t ipv4;
	esp_ip6_addr_t ipv6;
	bool isIpv4 = esp_netif_str_to_ip4(text, &ipv4) == ESP_OK;
	bool isIpv6 = !isIpv4 && esp_netif_str_to_ip6(text, &ipv6) == ESP_OK;
	bool isFound = false;
	for (esp_netif_t *interface = NULL; !isFound && (interface = esp_netif_next_unsafe(interface));)
		isFound = (isIpv4 && has_ipv4(interface, ipv4.addr)) || (isIpv6 && has_ipv6(interface, &ipv6));
	xsmcSetBoolean(xsResult, isFound);
}
