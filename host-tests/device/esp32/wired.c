/*
 * The wired network, with ESP-IDF's events as a cable and a DHCP server bring them about. Prints what does not hold.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "board-ethernet.h"
#include "board-network.h"
#include "esp_log.h"
#include "esp_mac.h"
#include "ethernet-chip.h"
#include "holds.h"

esp_event_base_t const ETH_EVENT = "eth", IP_EVENT = "ip";

static esp_event_handler_t onEthernetEvent, onIpEvent;
static esp_netif_t *const INTERFACE = (esp_netif_t *)&onIpEvent;
static esp_netif_t *wired;
static int routePriority, complaints;
static bool isStarted, hasChip;

void board_network_set_wired(esp_netif_t *interface) { wired = interface; }
void stub_log(const char *tag, const char *format, ...) { (void)tag, (void)format; complaints++; }

const bool ethernetChipNeedsAddress = true;

bool ethernet_chip_open(esp_eth_mac_t **mac, esp_eth_phy_t **phy)
{
	*mac = NULL, *phy = NULL;
	return hasChip;
}

esp_err_t esp_eth_driver_install(const esp_eth_config_t *config, esp_eth_handle_t *handle)
{
	(void)config;
	*handle = NULL;
	return ESP_OK;
}

static bool isAddressed;
esp_err_t esp_read_mac(uint8_t *mac, esp_mac_type_t type)
{
	HOLDS(type == ESP_MAC_ETH);
	memset(mac, 1, 6);
	return ESP_OK;
}

esp_err_t esp_eth_ioctl(esp_eth_handle_t handle, esp_eth_io_cmd_t command, void *data)
{
	(void)handle;
	isAddressed = command == ETH_CMD_S_MAC_ADDR && *(uint8_t *)data == 1;
	return ESP_OK;
}

esp_eth_netif_glue_handle_t esp_eth_new_netif_glue(esp_eth_handle_t handle) { (void)handle; return NULL; }

esp_netif_t *esp_netif_new(const esp_netif_config_t *config)
{
	routePriority = config->base->route_prio;
	return INTERFACE;
}

esp_err_t esp_netif_attach(esp_netif_t *netif, void *driver) { (void)netif, (void)driver; return ESP_OK; }
esp_err_t esp_netif_create_ip6_linklocal(esp_netif_t *netif) { HOLDS(netif == INTERFACE); return ESP_OK; }

esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *arg)
{
	(void)id, (void)arg;
	if (strcmp(base, ETH_EVENT) == 0)
		onEthernetEvent = handler;
	else
		onIpEvent = handler;
	return ESP_OK;
}

esp_err_t esp_eth_start(esp_eth_handle_t handle)
{
	(void)handle;
	isStarted = true;
	return ESP_OK;
}

typedef enum { END, UP, DOWN, STOPPED, ADDRESS, LOST, RADIO } Step;

static void take(Step step)
{
	switch (step) {
	case END: break;
	case UP: onEthernetEvent(NULL, ETH_EVENT, ETHERNET_EVENT_CONNECTED, NULL); break;
	case DOWN: onEthernetEvent(NULL, ETH_EVENT, ETHERNET_EVENT_DISCONNECTED, NULL); break;
	case STOPPED: onEthernetEvent(NULL, ETH_EVENT, ETHERNET_EVENT_STOP, NULL); break;
	case ADDRESS: onIpEvent(NULL, IP_EVENT, IP_EVENT_ETH_GOT_IP, NULL); break;
	case LOST: onIpEvent(NULL, IP_EVENT, IP_EVENT_ETH_LOST_IP, NULL); break;
	case RADIO: onIpEvent(NULL, IP_EVENT, IP_EVENT_STA_GOT_IP, NULL); break;
	}
}

static const struct {
	const char *name;
	Step steps[8];
	bool isJoined;
} STORIES[] = {
	{ "without a cable there is no network", { 0 }, false },
	{ "a cable alone is no network", { UP }, false },
	{ "an address makes it one", { UP, ADDRESS }, true },
	{ "another address of it", { UP, ADDRESS, ADDRESS }, true },
	{ "the radio's address is not the wire's", { UP, RADIO }, false },
	{ "the cable is pulled", { UP, ADDRESS, DOWN }, false },
	{ "an address that comes after the cable is pulled", { UP, DOWN, ADDRESS }, false },
	{ "the cable is back, and the address not yet", { UP, ADDRESS, DOWN, UP }, false },
	{ "the cable is back, and the address", { UP, ADDRESS, DOWN, UP, ADDRESS }, true },
	{ "the address runs out", { UP, ADDRESS, LOST }, false },
	{ "and comes back", { UP, ADDRESS, LOST, ADDRESS }, true },
	{ "the link is reported twice", { UP, ADDRESS, UP }, true },
	{ "an address is lost that was not there", { LOST, UP, LOST }, false },
	{ "the driver stops", { UP, ADDRESS, STOPPED }, false },
};

int main(void)
{
	board_ethernet_start();
	HOLDS(complaints == 1 && !isStarted && !wired);		// without its chip the console runs
	hasChip = true;
	board_ethernet_start();
	HOLDS(isStarted && isAddressed && complaints == 1);
	HOLDS(routePriority > 100);		// ESP-IDF's for the radio
	for (size_t index = 0; index < sizeof(STORIES) / sizeof(STORIES[0]); index++) {
		for (const Step *step = STORIES[index].steps; *step; step++)
			take(*step);
		if ((wired == INTERFACE) != STORIES[index].isJoined)
			printf("%s: %d\n", STORIES[index].name, wired == INTERFACE), failures++;
		take(DOWN);
	}
	return failures > 0;
}
