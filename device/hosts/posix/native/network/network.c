/*
 * svc/network. The interface is the one with --address; without it, the first interface that is up, is not a loopback,
 * supports multicast and has an IPv4 address; otherwise the loopback. While the radio (wifi.c) is not joined, there is
 * no network.
 */
#include "network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "event-loop.h"
#include "machine.h"
#include "options.h"
#include "socket-address.h"
#include "wifi.h"

static const double FACTS_LIFETIME_MS = 1000;

static bool has_family(const struct ifaddrs *entry, int family)
{
	return entry->ifa_addr && entry->ifa_addr->sa_family == family && (entry->ifa_flags & IFF_UP);
}

static const struct in_addr *ipv4_of(const struct ifaddrs *entry)
{
	return &((const struct sockaddr_in *)entry->ifa_addr)->sin_addr;
}

/* Higher is better; 0: not usable. */
static int rank(const struct ifaddrs *entry)
{
	struct in_addr wanted;
	if (!has_family(entry, AF_INET))
		return 0;
	if (options.address && inet_pton(AF_INET, options.address, &wanted) == 1
			&& (ipv4_of(entry)->s_addr == wanted.s_addr
				|| ((entry->ifa_flags & IFF_LOOPBACK) && ntohl(wanted.s_addr) >> 24 == IN_LOOPBACKNET)))
		return 3;
	if (entry->ifa_flags & IFF_LOOPBACK)
		return 1;
	return entry->ifa_flags & IFF_MULTICAST ? 2 : 0;
}

static bool is_routable(const struct in6_addr *address)
{
	return !IN6_IS_ADDR_LINKLOCAL(address) && !IN6_IS_ADDR_LOOPBACK(address) && !IN6_IS_ADDR_MULTICAST(address);
}

static void find_ipv6(const struct ifaddrs *list, NetworkFacts *facts)
{
	for (const struct ifaddrs *entry = list; entry; entry = entry->ifa_next) {
		if (!has_family(entry, AF_INET6) || strcmp(entry->ifa_name, facts->name) != 0)
			continue;
		const struct in6_addr *address = &((const struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr;
		if (!is_routable(address))
			continue;
		inet_ntop(AF_INET6, address, facts->addressIpv6, sizeof(facts->addressIpv6));
		return;
	}
}

/* The fourth column of /proc/net/wireless: signal level in dBm, followed by a full stop. */
static int read_rssi(const char *name)
{
	char line[256], interface[64];
	double level;
	int rssi = 0;
	FILE *file = fopen("/proc/net/wireless", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " %63[^:]: %*s %*s %lf", interface, &level) == 2 && strcmp(interface, name) == 0)
			rssi = (int)level;
	}
	if (file)
		fclose(file);
	return rssi;
}

NetworkFacts network_facts(void)
{
	NetworkFacts facts = { 0 };
	struct ifaddrs *list;
	const struct ifaddrs *best = NULL;
	if (getifaddrs(&list) != 0)
		return facts;
	for (const struct ifaddrs *entry = list; entry; entry = entry->ifa_next) {
		if (rank(entry) > (best ? rank(best) : 0))
			best = entry;
	}
	if (best) {
		snprintf(facts.name, sizeof(facts.name), "%s", best->ifa_name);
		facts.index = if_nametoindex(facts.name);
		if (rank(best) == 3)
			snprintf(facts.address, sizeof(facts.address), "%s", options.address);
		else
			inet_ntop(AF_INET, ipv4_of(best), facts.address, sizeof(facts.address));
		facts.rssi = read_rssi(facts.name);
		if (!options.address)
			find_ipv6(list, &facts);
	}
	freeifaddrs(list);
	return facts;
}

/*
 * The interface, cached for a second. Querying the kernel costs as much as the rest of a status request (measured: 200
 * us of 400).
 */
static NetworkFacts *recent_facts(void)
{
	static NetworkFacts facts;
	static double askedAtMs = -INFINITY;
	double nowMs = event_loop_now();
	if (nowMs - askedAtMs >= FACTS_LIFETIME_MS) {
		facts = network_facts();
		askedAtMs = nowMs;
	}
	return &facts;
}

void xs_network_address(xsMachine *the)
{
	xsmcSetString(xsResult, wifi_is_joined() ? recent_facts()->address : "");
}

void xs_network_address_ipv6(xsMachine *the)
{
	NetworkFacts *facts = recent_facts();
	if (wifi_is_joined() && facts->addressIpv6[0])
		xsmcSetString(xsResult, facts->addressIpv6);
}

void xs_network_rssi(xsMachine *the)
{
	xsmcSetInteger(xsResult, wifi_is_joined() ? wifi_rssi(recent_facts()->rssi) : 0);
}

static bool is_same_address(const struct sockaddr *one, const struct sockaddr_storage *other)
{
	if (!one || one->sa_family != other->ss_family)
		return false;
	if (one->sa_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)one)->sin_addr, &((const struct sockaddr_in *)other)->sin_addr,
			sizeof(struct in_addr)) == 0;
	return one->sa_family == AF_INET6
		&& memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr, &((const struct sockaddr_in6 *)other)->sin6_addr,
			sizeof(struct in6_addr)) == 0;
}

/* hasAddress(address): whether any interface has this address. */
void xs_network_has_address(xsMachine *the)
{
	char text[INET6_ADDRSTRLEN];
	SocketAddress wanted;
	struct ifaddrs *list;
	bool isFound = false;
	xsmcToStringBuffer(xsArg(0), text, sizeof(text));
	if (socket_address_parse(text, 0, &wanted) && getifaddrs(&list) == 0) {
		for (const struct ifaddrs *entry = list; entry && !isFound; entry = entry->ifa_next)
			isFound = is_same_address(entry->ifa_addr, &wanted.storage);
		freeifaddrs(list);
	}
	xsmcSetBoolean(xsResult, isFound);
}
