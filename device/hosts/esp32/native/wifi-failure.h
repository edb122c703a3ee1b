/* Why a network could not be joined, or is not any more: from the numbers of ESP-IDF to device/ports/wifi.ts. */
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
