/*
 * The access point over a radio of ESP-IDF's functions, of which each may fail. Prints what does not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_event.h"
#include "esp_wifi.h"
#include "event-loop.h"
#include "wifi-access-point.h"

esp_event_base_t const WIFI_EVENT = "wifi";

static int failures;

static void check(bool holds, const char *text)
{
	if (!holds)
		printf("%s\n", text), failures++;
}

/* The radio. */
static struct {
	int calls, failingCall;		/* of those that can fail; the failing one counts from 1 */
	bool isAbsent;
	wifi_mode_t mode;
	wifi_config_t settings;
	bool isSet, areOthersGone, isServing;
	esp_event_handler_t handler;
	uint32_t nameServer;
	int interfaces;
} radio;

static struct { int unused; } theInterface;
static const esp_ip4_addr_t ADDRESS = { 0x0104A8C0 };		/* 192.168.4.1 */

static esp_err_t result(void)
{
	return ++radio.calls == radio.failingCall ? ESP_FAIL : ESP_OK;
}

esp_err_t esp_wifi_get_mode(wifi_mode_t *mode)
{
	*mode = radio.mode;
	return radio.isAbsent ? ESP_FAIL : ESP_OK;
}

esp_netif_t *esp_netif_create_default_wifi_ap(void)
{
	if (radio.isAbsent)
		abort();
	if (result() != ESP_OK)
		return NULL;
	radio.interfaces++;
	return (esp_netif_t *)&theInterface;
}

void esp_netif_destroy_default_wifi(void *netif)
{
	if (netif)
		radio.interfaces--;
}

esp_err_t esp_netif_get_ip_info(esp_netif_t *netif, esp_netif_ip_info_t *info)
{
	if (!netif)
		return ESP_FAIL;
	info->ip = ADDRESS;
	return ESP_OK;
}

esp_err_t esp_netif_dhcps_stop(esp_netif_t *netif) { (void)netif; radio.isServing = false; return ESP_OK; }

esp_err_t esp_netif_dhcps_start(esp_netif_t *netif)
{
	(void)netif;
	radio.isServing = true;
	return result();
}

esp_err_t esp_netif_dhcps_option(esp_netif_t *netif, esp_netif_dhcp_option_mode_t operation,
	esp_netif_dhcp_option_id_t option, void *value, uint32_t length)
{
	(void)netif;
	check(!radio.isServing, "an option is set while the server runs");
	check(operation == ESP_NETIF_OP_SET && option == ESP_NETIF_DOMAIN_NAME_SERVER, "another option");
	check(length == 1 && *(uint8_t *)value == 2, "the name server is not offered");
	return result();
}

esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, esp_netif_dns_type_t type, esp_netif_dns_info_t *dns)
{
	(void)netif, (void)type;
	radio.nameServer = dns->ip.u_addr.ip4.addr;
	return result();
}

esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *arg)
{
	(void)base, (void)id, (void)arg;
	if (result() != ESP_OK)
		return ESP_FAIL;
	radio.handler = handler;
	return ESP_OK;
}

esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler)
{
	(void)base, (void)id, (void)handler;
	radio.handler = NULL;
	return ESP_OK;
}

esp_err_t esp_wifi_set_mode(wifi_mode_t mode)
{
	if (mode == WIFI_MODE_APSTA && result() != ESP_OK)
		return ESP_FAIL;
	radio.mode = mode;
	return ESP_OK;
}

esp_err_t esp_wifi_set_config(wifi_interface_t interface, wifi_config_t *config)
{
	check(interface == WIFI_IF_AP && radio.mode == WIFI_MODE_APSTA, "ESP-IDF refuses settings of what it is not");
	radio.settings = *config;
	radio.isSet = true;
	return result();
}

esp_err_t esp_wifi_deauth_sta(uint16_t aid)
{
	radio.areOthersGone = radio.isSet && aid == 0;
	return result();
}

esp_err_t esp_wifi_ap_get_sta_list(wifi_sta_list_t *sta)
{
	sta->num = 3;
	return radio.mode == WIFI_MODE_APSTA ? ESP_OK : ESP_FAIL;
}

/* The machine's loop. */
static void (*posted)(void *context);
static int changes;

void event_loop_post(void (*callback)(void *context), void *context)
{
	(void)context;
	posted = callback;
}

static void turn(void)
{
	if (posted)
		posted(NULL);
	posted = NULL;
}

static void on_clients(void)
{
	changes++;
}

static bool start(int failingCall)
{
	memset(&radio, 0, sizeof(radio));
	radio.mode = WIFI_MODE_STA;
	radio.failingCall = failingCall;
	return wifi_access_point_start("Console-1A2B", "abcdefghjkmn", 8, on_clients);
}

static bool is_off(void)
{
	return radio.mode == WIFI_MODE_STA && radio.interfaces == 0 && !radio.handler;
}

static void happen(int32_t event)
{
	if (radio.handler)
		radio.handler(NULL, WIFI_EVENT, event, NULL);
}

int main(void)
{
	check(start(0), "it cannot be switched on");
	check(memcmp(radio.settings.ap.ssid, "Console-1A2B", 12) == 0 && radio.settings.ap.ssid_len == 12, "another name");
	check(strcmp((char *)radio.settings.ap.password, "abcdefghjkmn") == 0, "another password");
	check(radio.settings.ap.authmode == WIFI_AUTH_WPA2_PSK, "it is not WPA2");
	check(radio.settings.ap.max_connection == 8, "another number of clients");
	check(radio.nameServer == ADDRESS.addr && radio.isServing, "the console is not the name server");
	check(radio.areOthersGone, "who joined the open network stays");
	check(wifi_access_point_address().addr == ADDRESS.addr, "another address");
	check(wifi_access_point_client_count() == 3, "another number of clients now");

	happen(WIFI_EVENT_AP_STACONNECTED), turn();
	happen(WIFI_EVENT_AP_STADISCONNECTED), turn();
	happen(WIFI_EVENT_SCAN_DONE), turn();
	check(changes == 2, "a client that comes or goes is reported once");

	happen(WIFI_EVENT_AP_STACONNECTED);
	wifi_access_point_stop();
	turn();
	check(changes == 2, "a client is reported after the end");
	check(is_off(), "something stays after the end");
	check(wifi_access_point_client_count() == 0, "there are clients after the end");

	const int calls = radio.calls;
	check(calls > 5, "few calls can fail");
	for (int failing = 1; failing <= calls; failing++) {
		check(!start(failing), "it is on although a call has failed");
		check(is_off(), "something stays after a failure");
	}
	memset(&radio, 0, sizeof(radio));
	radio.isAbsent = true;
	check(!wifi_access_point_start("Console-1A2B", "abcdefghjkmn", 8, on_clients), "it is on without a radio");
	return failures > 0;
}
