/* Lookups (lookup.h) without a name server: a numeric address resolves to itself, any other name fails. */
#include <string.h>

#include "event-loop.h"
#include "lookup.h"
#include "socket-address.h"

void lookup_start(Lookup *lookup)
{
	SocketAddress numeric;
	if (socket_address_parse(lookup->name, 0, &numeric))
		strcpy(lookup->address, socket_address_format(&numeric.storage).address);
	else
		lookup->problem = "no name server answers";
	event_loop_post(lookup_finish, lookup);
}
