/*
 * svc/bluetooth: a simulated radio. What it advertises is in the air as long as the socket `ble` is in the state directory: a
 * receiver connects to it, gets the advertising data, and is disconnected (docs/spec/simulated-console.md#bluetooth).
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "air-socket.h"
#include "event-loop.h"
#include "machine.h"

enum { DATA_BYTES = 31, RECEIVERS = 8 };

typedef struct {
	Source source;			/* first; accepts receivers */
	char path[AIR_PATH_BYTES];
	uint8_t data[DATA_BYTES];
	uint32_t byteLength;
} Advertisement;

static Advertisement *advertised;		/* there is one at a time */

static void accept_receiver(Source *source, short revents)
{
	(void)revents;
	const int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	(void)send(fd, advertised->data, advertised->byteLength, MSG_NOSIGNAL);		/* it fits the buffer of a new socket */
	close(fd);
}

static void release(Advertisement *advertisement)
{
	event_loop_remove(&advertisement->source);
	close(advertisement->source.fd);
	unlink(advertisement->path);
	advertised = NULL;
	free(advertisement);
}

void xs_advertisement_destructor(void *data)
{
	if (data)
		release(data);
}

/* constructor(data) */
void xs_advertisement_constructor(xsMachine *the)
{
	Advertisement next = { .source = { .events = POLLIN, .ready = accept_receiver } };
	void *data;
	xsUnsignedValue byteLength;
	xsmcGetBufferReadable(xsArg(0), &data, &byteLength);
	if (byteLength > DATA_BYTES)
		xsRangeError("at most %d bytes", DATA_BYTES);
	memcpy(next.data, data, byteLength);
	next.byteLength = byteLength;
	if (advertised)
		xsUnknownError("the radio advertises already");
	next.source.fd = air_socket_listen(the, "ble", RECEIVERS, next.path);
	advertised = malloc(sizeof(Advertisement));
	if (!advertised) {
		close(next.source.fd);
		xsUnknownError("no memory to advertise");
	}
	*advertised = next;
	xsmcSetHostData(xsThis, advertised);
	event_loop_add(&advertised->source);
}

void xs_advertisement_close(xsMachine *the)
{
	xs_advertisement_destructor(machine_detach(the, xs_advertisement_destructor));
}
