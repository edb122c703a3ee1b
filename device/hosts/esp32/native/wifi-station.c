/* ESP-IDF's station (wifi-station.h). */
#include "wifi-station.h"

#include "esp_wifi.h"

esp_netif_t *wifi_station_open(void)
{
	return esp_netif_create_default_wifi_sta();
}

int wifi_station_rssi(void)
{
	wifi_ap_record_t accessPoint;
	return esp_wifi_sta_get_ap_info(&accessPoint) == ESP_OK ? accessPoint.rssi : 0;
}
