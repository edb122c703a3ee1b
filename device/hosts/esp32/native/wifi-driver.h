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
	int reason;			/* of a disconnection that the console did not request: an ESP-IDF code */
} WifiEvent;

/*
 * Switches the radio on.
 * @returns false on failure
 */
bool wifi_driver_start(void (*onEvent)(WifiEvent event));
void wifi_driver_stop(void);

/* @returns whether joining has started; events follow */
bool wifi_driver_join(wifi_config_t *network);

/* No events follow. */
void wifi_driver_leave(void);

#endif
