/* ESP-IDF's access point (wifi-access-point.h). Its network interface exists while it is switched on. */
#include "wifi-access-point.h"

#include <string.h>

#include "esp_event.h"
#include "esp_wifi.h"
#include "event-loop.h"

static esp_netif_t *interface;
static void (*onClients)(void);

/* Clients are let in from the first beacon on: on this channel, or on that of the network that the station has joined. */
enum { CHANNEL = 1 };
/* aid 0 of esp_wifi_deauth_sta. */
enum { EVERY_CLIENT = 0 };

/* On the machine's task. */
static void deliver(void *context)
{
	(void)context;
	if (onClients)
		onClients();
}

/* On the event task. */
static void on_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base, (void)data;
	if (id == WIFI_EVENT_AP_STACONNECTED || id == WIFI_EVENT_AP_STADISCONNECTED)
		event_loop_post(deliver, NULL);
}

/* The DHCP server offers a name server only if it is told to. */
static bool offer_name_server(void)
{
	esp_netif_dns_info_t server = { .ip.type = ESP_IPADDR_TYPE_V4 };
	uint8_t isOffered = 2;		// OFFER_DNS of ESP-IDF's dhcpserver.h
	server.ip.u_addr.ip4 = wifi_access_point_address();
	(void)esp_netif_dhcps_stop(interface);
	return esp_netif_dhcps_option(interface, ESP_NETIF_OP_SET, ESP_NETIF_DOMAIN_NAME_SERVER, &isOffered,
			sizeof(isOffered)) == ESP_OK
		&& esp_netif_set_dns_info(interface, ESP_NETIF_DNS_MAIN, &server) == ESP_OK
		&& esp_netif_dhcps_start(interface) == ESP_OK;
}

/*
 * ESP-IDF takes the settings of an access point only once it is one. Until then it has its defaults, which are an open
 * network; who has joined that meanwhile is disconnected.
 */
static bool switch_on(wifi_config_t *settings)
{
	return esp_wifi_set_mode(WIFI_MODE_APSTA) == ESP_OK && esp_wifi_set_config(WIFI_IF_AP, settings) == ESP_OK
		&& esp_wifi_deauth_sta(EVERY_CLIENT) == ESP_OK;
}

bool wifi_access_point_start(const char *ssid, const char *password, int clientLimit, void (*listener)(void))
{
	wifi_config_t settings = { .ap = {
		.channel = CHANNEL, .authmode = WIFI_AUTH_WPA2_PSK, .max_connection = (uint8_t)clientLimit,
		.ssid_len = (uint8_t)strlen(ssid),
	} };
	wifi_mode_t mode;
	memcpy(settings.ap.ssid, ssid, settings.ap.ssid_len);
	memcpy(settings.ap.password, password, strlen(password));
	if (esp_wifi_get_mode(&mode) != ESP_OK)
		return false;		// there is no radio; creating its interface would end the program
	interface = esp_netif_create_default_wifi_ap();
	if (!interface)
		return false;
	onClients = listener;
	if (offer_name_server() && esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_event, NULL) == ESP_OK
			&& switch_on(&settings))
		return true;
	wifi_access_point_stop();
	return false;
}

void wifi_access_point_stop(void)
{
	onClients = NULL;
	(void)esp_event_handler_unregister(WIFI_EVENT, ESP_EVENT_ANY_ID, on_event);
	(void)esp_wifi_set_mode(WIFI_MODE_STA);
	esp_netif_destroy_default_wifi(interface);
	interface = NULL;
}

int wifi_access_point_client_count(void)
{
	wifi_sta_list_t list;
	return esp_wifi_ap_get_sta_list(&list) == ESP_OK ? list.num : 0;
}

esp_ip4_addr_t wifi_access_point_address(void)
{
	esp_netif_ip_info_t info = { 0 };
	(void)esp_netif_get_ip_info(interface, &info);
	return info.ip;
}
