/*
 * embedded:io/socket/udp (ECMA-419 §11) in a network that accepts every datagram and delivers none to the console. An
 * open socket stays alive, as on other hosts.
 */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "machine.h"

typedef struct {
	int port;
	xsSlot self;
	xsSlot onReadable;
} Udp;

void xs_udp_destructor(void *data)
{
	free(data);
}

/* Throws for an invalid address; the option may be missing. Uses xsVar(0). */
static void check_address(xsMachine *the, const char *name)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address;
	xsmcGet(xsVar(0), xsArg(0), xsID(name));
	if (xsmcTypeOf(xsVar(0)) == xsUndefinedType)
		return;
	xsmcToStringBuffer(xsVar(0), text, sizeof(text));
	if (inet_pton(AF_INET, text, &address) != 1)
		xsRangeError("%s \"%s\" is not an IPv4 address", name, text);
}

/* An option, 0 if it is missing. Uses xsVar(0). */
static int integer_option(xsMachine *the, const char *name)
{
	xsmcGet(xsVar(0), xsArg(0), xsID(name));
	return xsmcTypeOf(xsVar(0)) == xsUndefinedType ? 0 : xsmcToInteger(xsVar(0));
}

static void check_options(xsMachine *the)
{
	int port = integer_option(the, "port"), timeToLive = integer_option(the, "timeToLive");
	check_address(the, "address");
	check_address(the, "multicast");
	if (port < 0 || port > 65535)
		xsRangeError("%d is not a port", port);
	if (timeToLive > 255)
		xsRangeError("time to live %d is over 255", timeToLive);
}

/* constructor({ port, address, multicast, timeToLive, onReadable }) */
void xs_udp_constructor(xsMachine *the)
{
	xsmcVars(2);
	check_options(the);
	const int port = integer_option(the, "port");
	xsVar(1) = machine_get_callback(the, &xsArg(0), "onReadable");
	Udp *udp = calloc(1, sizeof(Udp));
	if (!udp)
		abort();
	udp->port = port;
	xsmcSetHostData(xsThis, udp);
	machine_keep(the, &udp->self, xsThis);
	machine_keep(the, &udp->onReadable, xsVar(1));
}

/* read(): undefined, since there is never a datagram. */
void xs_udp_read(xsMachine *the)
{
	xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
}

/* write(bytes, address, port) */
void xs_udp_write(xsMachine *the)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr address;
	void *bytes;
	xsUnsignedValue length;
	int port = xsmcToInteger(xsArg(2));
	xsmcToStringBuffer(xsArg(1), text, sizeof(text));
	xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (inet_pton(AF_INET, text, &address) != 1 || port < 1 || port > 65535)
		xsRangeError("cannot send to \"%s\" port %d", text, port);
}

/* The one that was asked for: what is never received needs no port of its own. */
void xs_udp_port(xsMachine *the)
{
	Udp *udp = xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
	xsmcSetInteger(xsResult, udp->port);
}

void xs_udp_close(xsMachine *the)
{
	Udp *udp = machine_detach(the, xs_udp_destructor);
	if (!udp)
		return;
	machine_release(the, &udp->self);
	machine_release(the, &udp->onReadable);
	free(udp);
}
