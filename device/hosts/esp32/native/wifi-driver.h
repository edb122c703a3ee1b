/*
 * The radio's driver. Its events arrive on ESP-IDF's event task and are forwarded to the machine's task, on which all
 * of these functions are called, too. Events of a network that the console has left are dropped.
 */
#ifndef SVC_WIFI_DRIVER_H
#define SVC_WIFI_DRIVER_H

#include <stdbool.h>

#include "esp_wifi.h"

typedef struct {
	enum { WIFI_IS_CONNECTED, WIFI_IS_DISCONNECTED, WIFI_HAS_ADDRESS, WIFI_HAS_LOST_ADDRESS, WIFI_HAS_SCANNED } kind;
	int reason;			/* of a disconnection that the console did not request: a number of ESP-IDF's */
} WifiNews;

/* Switches the radio on. @returns false where that cannot be */
bool wifi_driver_start(void (*tell)(WifiNews news));
void wifi_driver_stop(void);

/* @returns whether it tries to; news follow */
bool wifi_driver_join(wifi_config_t *network);

/* No news follow. */
void wifi_driver_leave(void);

#endif
