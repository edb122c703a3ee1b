/*
 * The radio as an access point with WPA2, beside the station of wifi-driver.h, and its DHCP server, which names the
 * console as gateway and name server. All functions are called on the machine's task.
 */
#ifndef SVC_WIFI_ACCESS_POINT_H
#define SVC_WIFI_ACCESS_POINT_H

#include <stdbool.h>

#include "esp_netif.h"

/*
 * Switches it on. `onClients` runs on the machine's task when a client has come or gone; a call that was under way may
 * still follow wifi_access_point_stop.
 * @param ssid 1 to 32 bytes
 * @param password 8 to 63 bytes
 * @returns false if the radio or its network interface cannot be had; nothing stays switched on then
 */
bool wifi_access_point_start(const char *ssid, const char *password, int clientLimit, void (*onClients)(void));

/* Disconnects all clients. */
void wifi_access_point_stop(void);

int wifi_access_point_client_count(void);

/* Of the console in this network, while it is switched on. */
esp_ip4_addr_t wifi_access_point_address(void);

#endif
