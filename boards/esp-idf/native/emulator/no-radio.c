/*
 * An emulator has no radio that ESP-IDF's driver works with: this is in the place of the driver's C (wifi-driver.h,
 * wifi-station.h, wifi-access-point.h). The radio can be switched on, finds no network, and joins none.
 */
#include "event-loop.h"
#include "wifi-access-point.h"
#include "wifi-driver.h"
#include "wifi-station.h"

static void (*onEvent)(WifiEvent event);

bool wifi_driver_start(void (*listener)(WifiEvent event))
{
	onEvent = listener;
	return true;
}

void wifi_driver_stop(void)
{
}

bool wifi_driver_join(wifi_config_t *network)
{
	(void)network;
	return false;
}

void wifi_driver_leave(void)
{
}

static void end_scan(void *context)
{
	(void)context;
	onEvent((WifiEvent){ WIFI_HAS_SCANNED, 0 });
}

/* What wifi-radio.c calls of ESP-IDF itself. */
esp_err_t esp_wifi_scan_start(const wifi_scan_config_t *options, bool isBlocking)
{
	(void)options, (void)isBlocking;
	event_loop_post(end_scan, NULL);
	return ESP_OK;
}

esp_err_t esp_wifi_scan_stop(void)
{
	return ESP_OK;
}

esp_err_t esp_wifi_scan_get_ap_record(wifi_ap_record_t *found)
{
	(void)found;
	return ESP_FAIL;
}

esp_err_t esp_wifi_clear_ap_list(void)
{
	return ESP_OK;
}

esp_netif_t *wifi_station_open(void)
{
	return NULL;
}

int wifi_station_rssi(void)
{
	return 0;
}

bool wifi_access_point_start(const char *ssid, const char *password, int clientLimit, void (*onClients)(void))
{
	(void)ssid, (void)password, (void)clientLimit, (void)onClients;
	return false;
}

void wifi_access_point_stop(void)
{
}

int wifi_access_point_client_count(void)
{
	return 0;
}

esp_ip4_addr_t wifi_access_point_address(void)
{
	return (esp_ip4_addr_t){ 0 };
}
