/* The emulator has no radio that ESP-IDF's driver works with (wifi-station.h, modules/svc/wifi.ts). */
#include "wifi-station.h"

esp_netif_t *wifi_station_open(void)
{
	return NULL;
}

int wifi_station_rssi(void)
{
	return 0;
}
