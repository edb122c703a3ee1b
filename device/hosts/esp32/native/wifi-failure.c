/* One line for each distinguished reason (wifi-failure.h). */
#include "wifi-failure.h"

#include <stddef.h>

#include "esp_wifi.h"

static const struct {
	int reason;
	const char *failure;
} FAILURES[] = {
	{ WIFI_REASON_NO_AP_FOUND, "not_found" },
	{ WIFI_REASON_NO_AP_FOUND_IN_RSSI_THRESHOLD, "not_found" },
	{ WIFI_REASON_AUTH_FAIL, "wrong_password" },
	{ WIFI_REASON_MIC_FAILURE, "wrong_password" },
	{ WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT, "wrong_password" },
	{ WIFI_REASON_HANDSHAKE_TIMEOUT, "wrong_password" },
	// The network exists, but it is open or uses a protection that no password was given for.
	{ WIFI_REASON_NO_AP_FOUND_W_COMPATIBLE_SECURITY, "wrong_password" },
	{ WIFI_REASON_NO_AP_FOUND_IN_AUTHMODE_THRESHOLD, "wrong_password" },
};

const char *wifi_failure(int reason, bool wasJoined)
{
	if (wasJoined)
		return "lost";
	for (size_t index = 0; index < sizeof(FAILURES) / sizeof(FAILURES[0]); index++) {
		if (FAILURES[index].reason == reason)
			return FAILURES[index].failure;
	}
	return "refused";
}
