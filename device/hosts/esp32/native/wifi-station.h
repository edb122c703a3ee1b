/* The radio's network interface, for svc/network. wifi-radio.c joins its network. */
#ifndef SVC_WIFI_STATION_H
#define SVC_WIFI_STATION_H

#include "esp_netif.h"

/* Call it once, when TCP/IP has started. @returns NULL on a board without a radio */
esp_netif_t *wifi_station_open(void);

/* Signal strength of the access point in dBm; 0 while none is joined. */
int wifi_station_rssi(void);

#endif
