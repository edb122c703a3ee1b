/* Why a network could not be joined, or was lost: maps ESP-IDF's codes to those of device/ports/wifi.ts. */
#ifndef SVC_WIFI_FAILURE_H
#define SVC_WIFI_FAILURE_H

#include <stdbool.h>

/*
 * @param reason a wifi_err_reason_t
 * @param wasJoined whether the network had been joined
 * @returns a WifiFailure
 */
const char *wifi_failure(int reason, bool wasJoined);

#endif
