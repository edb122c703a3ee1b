/*
 * The radio's driver. What it tells comes on the task of ESP-IDF's events, and is passed on here on the machine's, where
 * all of these functions are called, too. Whatever became of a network that was left is nobody's any more.
 */
#ifndef SVC_WIFI_DRIVER_H
#define SVC_WIFI_DRIVER_H

#include <stdbool.h>

#include "esp_wifi.h"

typedef struct {
	enum { WIFI_IS_CONNECTED, WIFI_IS_DISCONNECTED, WIFI_HAS_ADDRESS, WIFI_HAS_LOST_ADDRESS, WIFI_HAS_SCANNED } kind;
	int reason;			/* of a disconnection that nobody here asked for: a number of ESP-IDF's */
} WifiNews;

/* Switches the radio on. @returns false where that cannot be */
bool wifi_driver_start(void (*tell)(WifiNews news));
void wifi_driver_stop(void);

/* @returns whether it tries to; news follow */
bool wifi_driver_join(wifi_config_t *network);

/* No news follow. */
void wifi_driver_leave(void);

#endif
