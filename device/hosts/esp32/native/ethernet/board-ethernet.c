/*
 * The wired network (board-ethernet.h). Its interface has precedence over the radio's, as it has in svc/network. Events
 * arrive on ESP-IDF's event task.
 */
#include "board-ethernet.h"

#include <stdbool.h>
#include <stdint.h>

#include "board-network.h"
#include "esp_event.h"
#include "esp_log.h"
#include "esp_mac.h"
#include "ethernet-chip.h"
#include "ethernet-link.h"

/* ESP-IDF's radio has 100, its Ethernet 50: it would send over the radio what could take the wire. */
enum { ROUTE_PRIORITY = 110 };

static const char TAG[] = "ethernet";

static esp_netif_t *interface;
static EthernetLink state = ETHERNET_DOWN;

static void take(EthernetEvent event)
{
	state = ethernet_link_next(state, event);
	board_network_set_wired(state == ETHERNET_JOINED ? interface : NULL);
}

static void on_ethernet_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base, (void)data;
	if (id == ETHERNET_EVENT_CONNECTED) {
		take(ETHERNET_LINK_UP);
		(void)esp_netif_create_ip6_linklocal(interface);
	}
	if (id == ETHERNET_EVENT_DISCONNECTED || id == ETHERNET_EVENT_STOP)
		take(ETHERNET_LINK_DOWN);
}

static void on_ip_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base, (void)data;
	if (id == IP_EVENT_ETH_GOT_IP)
		take(ETHERNET_HAS_ADDRESS);
	if (id == IP_EVENT_ETH_LOST_IP)
		take(ETHERNET_HAS_LOST_ADDRESS);
}

static bool give_address(esp_eth_handle_t driver)
{
	uint8_t address[6];
	if (!ethernetChipNeedsAddress)
		return true;
	return esp_read_mac(address, ESP_MAC_ETH) == ESP_OK && esp_eth_ioctl(driver, ETH_CMD_S_MAC_ADDR, address) == ESP_OK;
}

static bool install(esp_eth_handle_t *driver)
{
	esp_eth_mac_t *mac;
	esp_eth_phy_t *phy;
	if (!ethernet_chip_open(&mac, &phy))
		return false;
	const esp_eth_config_t options = ETH_DEFAULT_CONFIG(mac, phy);
	return esp_eth_driver_install(&options, driver) == ESP_OK && give_address(*driver);
}

/* The interface takes its address by DHCP. */
static bool attach(esp_eth_handle_t driver)
{
	esp_netif_inherent_config_t base = ESP_NETIF_INHERENT_DEFAULT_ETH();
	base.route_prio = ROUTE_PRIORITY;
	const esp_netif_config_t options = { .base = &base, .stack = ESP_NETIF_NETSTACK_DEFAULT_ETH };
	interface = esp_netif_new(&options);
	return interface && esp_netif_attach(interface, esp_eth_new_netif_glue(driver)) == ESP_OK;
}

void board_ethernet_start(void)
{
	esp_eth_handle_t driver;
	const bool isStarted = install(&driver) && attach(driver)
		&& esp_event_handler_register(ETH_EVENT, ESP_EVENT_ANY_ID, on_ethernet_event, NULL) == ESP_OK
		&& esp_event_handler_register(IP_EVENT, ESP_EVENT_ANY_ID, on_ip_event, NULL) == ESP_OK
		&& esp_eth_start(driver) == ESP_OK;
	if (!isStarted)
		ESP_LOGE(TAG, "the chip does not answer: there is no wired network");
}
