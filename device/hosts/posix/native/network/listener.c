/*
 * embedded:io/socket/listener (ECMA-419 §11). Accepts up to 16 connections before the program reads them; more wait in
 * the kernel's backlog.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event-loop.h"
#include "outside-work.h"
#include "socket-address.h"
#include "taken-port.h"
#include "tcp.h"

enum { BACKLOG = 128, MAXIMUM_ACCEPTED = 16 };
/* HTTP and WebSocket, on all addresses or on one. */
enum { MAXIMUM_KEPT_PORTS = 4 };

typedef struct {
	Source source;
	bool isBusy;			/* in listener_ready, which frees the record after close() */
	bool isClosed;
	int accepted[MAXIMUM_ACCEPTED];
	int acceptedCount;
	xsSlot self;
	xsSlot onReadable;
} Listener;

static void watch(Listener *listener)
{
	event_loop_watch(&listener->source, listener->acceptedCount < MAXIMUM_ACCEPTED ? POLLIN : 0);
}

static void listener_ready(Source *source, short revents)
{
	Listener *listener = (Listener *)source;
	(void)revents;
	int before = listener->acceptedCount;
	while (listener->acceptedCount < MAXIMUM_ACCEPTED) {
		int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			break;
		listener->accepted[listener->acceptedCount++] = fd;
	}
	listener->isBusy = true;
	const bool wasOutside = outside_work_begin(true);
	if (listener->acceptedCount > before)
		machine_call_count(&listener->self, &listener->onReadable, listener->acceptedCount);
	outside_work_end(wasOutside);
	listener->isBusy = false;
	if (listener->isClosed)
		free(listener);
	else
		watch(listener);
}

static void close_socket(Listener *listener)
{
	event_loop_remove(&listener->source);
	close(listener->source.fd);
	for (int index = 0; index < listener->acceptedCount; index++)
		close(listener->accepted[index]);
	listener->acceptedCount = 0;
}

void xs_listener_destructor(void *data)
{
	Listener *listener = data;
	if (!listener)
		return;
	close_socket(listener);
	free(listener);
}

/* @returns a bound socket, or -1 with errno set */
static int open_bound(const struct sockaddr_storage *address, socklen_t length)
{
	const int yes = 1, no = 0;
	int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (address->ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	if (bind(fd, (const struct sockaddr *)address, length) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/*
 * Keeps the port while no program listens on it, which is so during a restart: otherwise another process that asks for
 * any free port could get it. A second socket is bound to it, which SO_REUSEADDR allows as long as neither listens.
 */
static void keep_port(int bound)
{
	static struct sockaddr_storage kept[MAXIMUM_KEPT_PORTS];
	static int count;
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);
	if (getsockname(bound, (struct sockaddr *)&address, &length) != 0)
		return;
	for (int index = 0; index < count; index++) {
		if (memcmp(&kept[index], &address, sizeof(address)) == 0)
			return;
	}
	if (count < MAXIMUM_KEPT_PORTS && open_bound(&address, length) >= 0)
		kept[count++] = address;
}

/* @returns -1 with errno set */
static int open_and_bind(const SocketAddress *address)
{
	int fd = open_bound(&address->storage, address->length);
	if (fd < 0)
		return -1;
	keep_port(fd);
	if (listen(fd, BACKLOG) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Listens on all addresses: one socket for both families, or for IPv4 if the host has no IPv6. */
static int open_everywhere(int port)
{
	SocketAddress address;
	socket_address_parse("::", port, &address);
	int fd = open_and_bind(&address);
	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
		socket_address_parse("0.0.0.0", port, &address);
		fd = open_and_bind(&address);
	}
	return fd;
}

static int open_socket(xsMachine *the, const char *text, int port)
{
	SocketAddress address;
	if (*text && !socket_address_parse(text, port, &address))
		xsRangeError("\"%s\" is not a numeric address", text);
	int fd = *text ? open_and_bind(&address) : open_everywhere(port);
	if (fd < 0) {
		int error = errno;
		boot_note_port_taken();
		xsUnknownError("cannot listen on port %d: %s", port, strerror(error));
	}
	return fd;
}

/* constructor({ port, address, onReadable }) */
void xs_listener_constructor(xsMachine *the)
{
	char address[INET6_ADDRSTRLEN] = "";
	xsmcVars(2);
	xsmcGet(xsVar(0), xsArg(0), xsID("port"));
	int port = xsmcToInteger(xsVar(0));
	xsmcGet(xsVar(0), xsArg(0), xsID("address"));
	if (xsmcTypeOf(xsVar(0)) != xsUndefinedType)
		xsmcToStringBuffer(xsVar(0), address, sizeof(address));
	if (port < 0 || port > 65535)
		xsRangeError("%d is not a port", port);
	xsVar(1) = machine_get_callback(the, &xsArg(0), "onReadable");
	int fd = open_socket(the, address, port);
	Listener *listener = calloc(1, sizeof(Listener));
	if (!listener) {
		close(fd);
		xsUnknownError("no memory for a listener");
	}
	listener->source = (Source){ .fd = fd, .events = POLLIN, .ready = listener_ready };
	xsmcSetHostData(xsThis, listener);
	event_loop_add(&listener->source);
	machine_keep(the, &listener->self, xsThis);
	machine_keep(the, &listener->onReadable, xsVar(1));
}

/* read(makeTcp): puts the oldest accepted connection into the instance that the function makes. */
void xs_listener_read(xsMachine *the)
{
	Listener *listener = xsmcGetHostDataValidate(xsThis, xs_listener_destructor);
	if (listener->acceptedCount == 0)
		return;
	xsResult = xsCallFunction0(xsArg(0), xsUndefined);
	bool isGiven = false;
	while (!isGiven && listener->acceptedCount > 0) {
		int fd = listener->accepted[0];
		listener->acceptedCount--;
		memmove(listener->accepted, listener->accepted + 1, listener->acceptedCount * sizeof(int));
		isGiven = tcp_give(the, &xsResult, fd);
		if (!isGiven)
			close(fd);		// no memory for this connection, and perhaps none for the next one
	}
	if (!isGiven)
		xsmcSetUndefined(xsResult);
	watch(listener);
}

void xs_listener_port(xsMachine *the)
{
	Listener *listener = xsmcGetHostDataValidate(xsThis, xs_listener_destructor);
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	getsockname(listener->source.fd, (struct sockaddr *)&address, &length);
	xsmcSetInteger(xsResult, socket_address_format(&address).port);
}

void xs_listener_close(xsMachine *the)
{
	Listener *listener = machine_detach(the, xs_listener_destructor);
	if (!listener)
		return;
	machine_release(the, &listener->self);
	machine_release(the, &listener->onReadable);
	close_socket(listener);
	listener->isClosed = true;
	if (!listener->isBusy)
		free(listener);
}
