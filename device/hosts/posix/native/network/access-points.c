/* The table of access points (access-points.h); docs/management.md shows it to users. */
#include "access-points.h"

#include <string.h>

static const AccessPoint table[] = {
	{ .ssid = "Host network", .rssi = -30, .channel = 1, .isHosts = true },
	{ .ssid = "Simulated open", .rssi = -48, .channel = 6 },
	{ .ssid = "Simulated", .password = "simulated", .rssi = -71, .channel = 1 },
	{ .ssid = "Simulated", .password = "simulated", .rssi = -55, .channel = 11 },
	{ .ssid = "Simulated weak", .password = "simulated", .rssi = -88, .channel = 6, .isWeak = true },
	{ .ssid = "", .password = "simulated", .rssi = -60, .channel = 3 },
};

const AccessPoint *access_point_at(size_t index)
{
	return index < sizeof(table) / sizeof(*table) ? &table[index] : NULL;
}

const AccessPoint *access_point_named(const char *ssid)
{
	const AccessPoint *found = NULL;
	for (size_t index = 0; access_point_at(index); index++) {
		const AccessPoint *candidate = access_point_at(index);
		if (strcmp(candidate->ssid, ssid) == 0 && (!found || candidate->rssi > found->rssi))
			found = candidate;
	}
	return found;
}
