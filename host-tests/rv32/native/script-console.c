/*
 * A console for scripts to be tried on. What it does with a connection depends on the port:
 *
 *     7     says again what it hears, at once; at the peer's end says "bye" and closes
 *     8     says again what it hears, the first bytes one a millisecond and the rest together
 *     9     says again what it hears, and closes
 *     10    for each byte says the instructions since power on that were the script's, and the others
 *     11    for each byte says the microseconds since power on
 *     12    says nothing, and is busy every ten seconds
 *     13    listens from a second after power on, and says "late"
 *
 * It echoes what comes over USB, and reports on standard error whether a host is plugged in.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "event-loop.h"
#include "linger.h"
#include "script.h"
#include "socket-address.h"
#include "usb-port.h"

typedef struct {
	Source source;
	int port;
} Listener;

enum { TYPED_AT_MOST = 256 * 1024, TYPED_SINGLY = 40 };

typedef struct {
	Source source;
	Deadline deadline;
	int port;
	uint8_t *typed;			/* of port 8: what is still to be said */
	size_t typedLength;
	size_t typedCount;
} Connection;

static void check(bool isTrue, const char *what)
{
	if (isTrue)
		return;
	fprintf(stderr, "console: %s: %s\n", what, strerror(errno));
	abort();
}

static void end(Connection *connection, const char *text)
{
	event_loop_remove(&connection->source);
	event_loop_clear(&connection->deadline);
	linger(connection->source.fd, (const uint8_t *)text, strlen(text));
	free(connection->typed);
	free(connection);
}

static void say(Connection *connection, const void *bytes, size_t count)
{
	check(send(connection->source.fd, bytes, count, MSG_NOSIGNAL) == (ssize_t)count, "cannot send");
}

static void type_on(Deadline *deadline)
{
	Connection *connection = (Connection *)((uint8_t *)deadline - offsetof(Connection, deadline));
	size_t left = connection->typedLength - connection->typedCount;
	size_t count = connection->typedCount < TYPED_SINGLY ? 1 : left;
	say(connection, connection->typed + connection->typedCount, count);
	connection->typedCount += count;
	if (connection->typedCount < connection->typedLength)
		event_loop_set(deadline, event_loop_now() + 1);
}

static void hear_to_type(Connection *connection, const uint8_t *bytes, size_t count)
{
	if (connection->typedCount == connection->typedLength)
		connection->typedCount = connection->typedLength = 0;
	check(connection->typedLength + count <= TYPED_AT_MOST, "cannot type that much");
	memcpy(connection->typed + connection->typedLength, bytes, count);
	connection->typedLength += count;
	event_loop_set(&connection->deadline, event_loop_now() + 1);
}

static void stay_busy(Deadline *deadline)
{
	event_loop_set(deadline, event_loop_now() + 10 * 1000);
}

static void hear(Connection *connection, const uint8_t *bytes, size_t count)
{
	char text[64];
	const uint64_t ofScript = script_instructions(), all = clock_instructions();
	switch (connection->port) {
	case 8:
		hear_to_type(connection, bytes, count);
		break;
	case 10:
		say(connection, text, (size_t)sprintf(text, "%llu %llu\n", ofScript, all - ofScript));
		break;
	case 11:
		say(connection, text, (size_t)sprintf(text, "%lu\n", (unsigned long)(clock_now() / 1000)));
		break;
	case 12:
		break;
	default:
		say(connection, bytes, count);
	}
}

static void connection_ready(Source *source, short revents)
{
	Connection *connection = (Connection *)source;
	uint8_t bytes[4096];
	(void)revents;
	ssize_t count = recv(source->fd, bytes, sizeof(bytes), 0);
	check(count >= 0, "cannot receive");
	if (count == 0) {
		end(connection, connection->port == 7 ? "bye\n" : "");
		return;
	}
	hear(connection, bytes, (size_t)count);
	if (connection->port == 9)
		end(connection, "");
}

static void listener_ready(Source *source, short revents)
{
	(void)revents;
	int port = ((Listener *)source)->port;
	int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK);
	check(fd >= 0, "cannot accept");
	Connection *connection = calloc(1, sizeof(Connection));
	connection->source = (Source){ .fd = fd, .events = POLLIN, .ready = connection_ready };
	connection->deadline.ready = port == 12 ? stay_busy : type_on;
	connection->port = port;
	connection->typed = port == 8 ? malloc(TYPED_AT_MOST) : NULL;
	event_loop_add(&connection->source);
	if (port == 12)
		stay_busy(&connection->deadline);
	if (port == 13)
		say(connection, "late\n", 5);
}

static void listen_on(int port)
{
	SocketAddress address;
	check(socket_address_parse("0.0.0.0", port, &address), "cannot parse");
	Listener *listener = calloc(1, sizeof(Listener));
	listener->port = port;
	listener->source = (Source){ .events = POLLIN, .ready = listener_ready };
	listener->source.fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	check(bind(listener->source.fd, (struct sockaddr *)&address.storage, address.length) == 0, "cannot bind");
	check(listen(listener->source.fd, 8) == 0, "cannot listen");
	event_loop_add(&listener->source);
}

static void listen_late(Deadline *deadline)
{
	(void)deadline;
	listen_on(13);
}

static void usb_readable(void *context)
{
	uint8_t bytes[256];
	(void)context;
	size_t count = usb_port_read(bytes, sizeof(bytes));
	check(usb_port_write(bytes, count) == count, "cannot write to USB");
}

static void usb_plug(void *context, bool isPlugged)
{
	(void)context;
	fprintf(stderr, isPlugged ? "plugged in\n" : "unplugged\n");
	usb_port_want(isPlugged, false);
}

int main(void)
{
	static const UsbPortClient USB = { .onReadable = usb_readable, .onPlug = usb_plug };
	static Deadline late = { .ready = listen_late };
	static const int PORTS[] = { 7, 8, 9, 10, 11, 12 };
	event_loop_open();
	usb_port_open();
	usb_port_attach(&USB);
	for (size_t index = 0; index < sizeof(PORTS) / sizeof(PORTS[0]); index++)
		listen_on(PORTS[index]);
	event_loop_set(&late, event_loop_now() + 1000);
	script_open("script", "transcript");
	for (;;)
		event_loop_turn(INFINITY);
}
