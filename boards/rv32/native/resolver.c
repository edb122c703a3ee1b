/*
 * svc/resolver where no name server answers: an address is its own, and no other name has one.
 *
 * A lookup keeps its object alive until it has called back.
 */
#include "event-loop.h"
#include "machine.h"
#include "socket-address.h"

enum { MAXIMUM_NAME_LENGTH = 253 };		/* RFC 1035 §2.3.4, without the length of the root */

typedef struct {
	TextAddress found;		/* empty where not found */
	xsSlot self;
	xsSlot onDone;
} Lookup;

void xs_lookup_destructor(void *data)
{
	free(data);
}

/* Its object may be collected from here on. */
static void finish(void *context)
{
	Lookup *lookup = context;
	machine_call(&lookup->self, &lookup->onDone);
	machine_release(machine, &lookup->onDone);
	machine_release(machine, &lookup->self);
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= MAXIMUM_NAME_LENGTH && !memchr(text, 0xC0, length);	// C0 80 is U+0000
}

/* new Lookup(name, onDone): later calls back, with nothing. */
void xs_lookup_constructor(xsMachine *the)
{
	SocketAddress numeric;
	const char *name = xsmcToString(xsArg(0));
	if (!is_name(name))
		xsRangeError("this is no name of a host");
	Lookup *lookup = calloc(1, sizeof(Lookup));
	if (!lookup)
		xsUnknownError("out of memory");
	if (socket_address_parse(name, 0, &numeric))
		lookup->found = socket_address_format(&numeric.storage);
	xsmcSetHostData(xsThis, lookup);
	machine_keep(the, &lookup->self, xsThis);
	machine_keep(the, &lookup->onDone, xsArg(1));
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
	if (lookup->found.address[0])
		xsmcSetString(xsResult, lookup->found.address);
}

/* lookup.problem(): why nothing was found. */
void xs_lookup_problem(xsMachine *the)
{
	if (!lookup_of(the)->found.address[0])
		xsmcSetString(xsResult, "no name server answers");
}
