/*
 * svc/resolver: names to addresses, by the DNS client of lwIP, which works on its own task and calls back there. A
 * few names at a time: what does not fit its table fails.
 *
 * A lookup keeps its object alive until it has called back. Fields are the machine's task's until tcpip_callback, then
 * lwIP's until event_loop_post, then the machine's again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event-loop.h"
#include "lwip/dns.h"
#include "lwip/ip_addr.h"
#include "lwip/tcpip.h"
#include "machine.h"

enum { MAXIMUM_NAME_LENGTH = 253 };		/* RFC 1035 §2.3.4, without the length of the root */

typedef struct {
	char name[MAXIMUM_NAME_LENGTH + 1];
	char found[IPADDR_STRLEN_MAX];
	const char *problem;	/* NULL where something was found */
	xsSlot self;
	xsSlot onDone;
} Lookup;

/* On the machine's task. Its object may be collected from here on. */
static void finish(void *context)
{
	Lookup *lookup = context;
	machine_call(&lookup->self, &lookup->onDone);
	machine_release(machine, &lookup->onDone);
	machine_release(machine, &lookup->self);
}

static void take_answer(Lookup *lookup, const ip_addr_t *address)
{
	if (!address || !ipaddr_ntoa_r(address, lookup->found, sizeof(lookup->found)))
		lookup->problem = "no such host";
	event_loop_post(finish, lookup);
}

static void answered(const char *name, const ip_addr_t *address, void *context)
{
	(void)name;
	take_answer(context, address);
}

/* On lwIP's task. A numeric address resolves immediately, and so does a cached name. */
static void ask(void *context)
{
	Lookup *lookup = context;
	ip_addr_t address;
	switch (dns_gethostbyname_addrtype(lookup->name, &address, answered, lookup, LWIP_DNS_ADDRTYPE_IPV4_IPV6)) {
	case ERR_OK:
		take_answer(lookup, &address);
		break;
	case ERR_INPROGRESS:
		break;
	default:
		take_answer(lookup, NULL);
	}
}

/* Not while it is under way, for then it is remembered. */
void xs_lookup_destructor(void *data)
{
	free(data);
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= MAXIMUM_NAME_LENGTH && !memchr(text, 0xC0, length);	// C0 80 is U+0000
}

/* new Lookup(name, onDone): later calls back, with nothing. */
void xs_lookup_constructor(xsMachine *the)
{
	const char *name = xsmcToString(xsArg(0));
	if (!is_name(name))
		xsRangeError("this is no name of a host");
	Lookup *lookup = calloc(1, sizeof(Lookup));
	if (!lookup)
		xsUnknownError("out of memory");
	strcpy(lookup->name, name);
	xsmcSetHostData(xsThis, lookup);
	machine_keep(the, &lookup->self, xsThis);
	machine_keep(the, &lookup->onDone, xsArg(1));
	if (tcpip_callback(ask, lookup) == ERR_OK)
		return;
	lookup->problem = "the network is busy";
	event_loop_post(finish, lookup);
}

static Lookup *lookup_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_lookup_destructor);
}

/* lookup.address(): undefined where nothing was found. */
void xs_lookup_address(xsMachine *the)
{
	Lookup *lookup = lookup_of(the);
	if (!lookup->problem)
		xsmcSetString(xsResult, lookup->found);
}

/* lookup.problem(): why nothing was found. */
void xs_lookup_problem(xsMachine *the)
{
	Lookup *lookup = lookup_of(the);
	if (lookup->problem)
		xsmcSetString(xsResult, (char *)lookup->problem);
}
