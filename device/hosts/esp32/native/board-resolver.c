/*
 * Lookups (lookup.h) by the DNS client of lwIP, which runs on its own task and calls back there. If its table is full,
 * a lookup fails.
 *
 * The machine's task owns the fields of a lookup until tcpip_callback, then lwIP's task until event_loop_post, then the
 * machine's task again.
 */
#include "event-loop.h"
#include "lookup.h"
#include "lwip/dns.h"
#include "lwip/ip_addr.h"
#include "lwip/tcpip.h"

static void complete(Lookup *lookup, const ip_addr_t *address)
{
	if (!address || !ipaddr_ntoa_r(address, lookup->address, sizeof(lookup->address)))
		lookup->problem = "no such host";
	event_loop_post(lookup_finish, lookup);
}

static void on_response(const char *name, const ip_addr_t *address, void *context)
{
	(void)name;
	complete(context, address);
}

/* On lwIP's task. A numeric address resolves immediately, and so does a cached name. */
static void query(void *context)
{
	Lookup *lookup = context;
	ip_addr_t address;
	switch (dns_gethostbyname_addrtype(lookup->name, &address, on_response, lookup, LWIP_DNS_ADDRTYPE_IPV4_IPV6)) {
	case ERR_OK:
		complete(lookup, &address);
		break;
	case ERR_INPROGRESS:
		break;
	default:
		complete(lookup, NULL);
	}
}

void lookup_start(Lookup *lookup)
{
	if (tcpip_callback(query, lookup) == ERR_OK)
		return;
	lookup->problem = "the network is busy";
	event_loop_post(lookup_finish, lookup);
}
