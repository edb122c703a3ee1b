/*
 * svc/network: one address from the range for documentation (RFC 5737 §3), with the signal of an access point in the
 * same room. There is no network while the radio (device/hosts/posix/native/network/wifi.c) is not joined.
 */
#include <string.h>

#include "machine.h"
#include "wifi.h"

static const char ADDRESS[] = "192.0.2.10";

enum { RSSI_DBM = -50 };

void xs_network_address(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)(wifi_is_joined() ? ADDRESS : ""));
}

/* There is none. */
void xs_network_address_ipv6(xsMachine *the)
{
	(void)the;
}

void xs_network_rssi(xsMachine *the)
{
	xsmcSetInteger(xsResult, wifi_is_joined() ? wifi_rssi(RSSI_DBM) : 0);
}

/* hasAddress(address) */
void xs_network_has_address(xsMachine *the)
{
	xsmcSetBoolean(xsResult, strcmp(xsmcToString(xsArg(0)), ADDRESS) == 0);
}
