/*
 * embedded:io/socket/udp (ECMA-419 §11): datagrams, and one multicast group on one interface. Datagrams wait in the
 * kernel; after onReadable, the program is not called again before it reads.
 *
 * A multicast socket receives on every address, but reads what came in on its interface, or from this machine to its
 * address: an answer has the address of one interface, which hosts behind another may not reach (RFC 6762 §14).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event-loop.h"
#include "heap-figures.h"
#include "interface-index.h"
#include "machine.h"
#include "outside-work.h"
#include "socket-address.h"

/* RFC 6762 §17: a multicast DNS message has at most 9000 bytes with its headers. Less on a host without fragments. */
#ifndef MAXIMUM_DATAGRAM_BYTES
#define MAXIMUM_DATAGRAM_BYTES 9216
#endif

enum { LOOPBACK_INDEX = 1 };		/* the first interface of Linux and of lwIP */

typedef struct {
	Source source;
	bool isBusy;			/* in udp_ready, which frees the record after close() */
	bool isClosed;
	int interfaceIndex;		/* of a multicast socket; 0: accepts all datagrams */
	struct in_addr address;	/* of that interface */
	xsSlot self;
	xsSlot onReadable;
} Udp;

typedef struct {
	int port;
	int timeToLive;			/* negative: the host's default */
	struct in_addr interface;
	struct in_addr group;
	bool isMulticast;
} UdpSettings;

static void udp_ready(Source *source, short revents)
{
	Udp *udp = (Udp *)source;
	(void)revents;
	event_loop_watch(source, 0);		// until the next read()
	udp->isBusy = true;
	const bool before = outside_work_begin(true);
	machine_call_count(&udp->self, &udp->onReadable, 1);
	outside_work_end(before);
	udp->isBusy = false;
	if (udp->isClosed)
		free(udp);
}

static void close_socket(Udp *udp)
{
	event_loop_remove(&udp->source);
	close(udp->source.fd);
}

void xs_udp_destructor(void *data)
{
	Udp *udp = data;
	if (!udp)
		return;
	close_socket(udp);
	free(udp);
}

static bool join(int fd, const UdpSettings *settings)
{
	const int yes = 1, no = 0;
	struct ip_mreq membership = { .imr_multiaddr = settings->group, .imr_interface = settings->interface };
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &no, sizeof(no));
	setsockopt(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &yes, sizeof(yes));
	return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &settings->interface, sizeof(struct in_addr)) == 0
		&& setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)) == 0;
}

/* A multicast socket is bound to every address, since datagrams come to the group's. @returns -1 with errno set */
static int open_socket(const UdpSettings *settings)
{
	const int yes = 1;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(settings->port) };
	if (!settings->isMulticast)
		address.sin_addr = settings->interface;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof(yes));
	if (settings->timeToLive >= 0) {
		setsockopt(fd, IPPROTO_IP, IP_TTL, &settings->timeToLive, sizeof(int));
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &settings->timeToLive, sizeof(int));
	}
	if ((!settings->isMulticast || join(fd, settings)) && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/*
 * options[name] as an IPv4 address. Uses xsVar(0).
 * @returns whether there is one
 */
static bool get_address(xsMachine *the, const char *name, struct in_addr *address)
{
	char text[INET_ADDRSTRLEN];
	xsmcGet(xsVar(0), xsArg(0), xsID(name));
	if (xsmcTypeOf(xsVar(0)) == xsUndefinedType)
		return false;
	xsmcToStringBuffer(xsVar(0), text, sizeof(text));
	if (inet_pton(AF_INET, text, address) != 1)
		xsRangeError("%s \"%s\" is not an IPv4 address", name, text);
	return true;
}

static UdpSettings get_settings(xsMachine *the)
{
	UdpSettings settings = { .timeToLive = -1 };
	xsmcGet(xsVar(0), xsArg(0), xsID("port"));
	settings.port = xsmcTypeOf(xsVar(0)) == xsUndefinedType ? 0 : xsmcToInteger(xsVar(0));
	xsmcGet(xsVar(0), xsArg(0), xsID("timeToLive"));
	if (xsmcTypeOf(xsVar(0)) != xsUndefinedType)
		settings.timeToLive = xsmcToInteger(xsVar(0));
	get_address(the, "address", &settings.interface);
	settings.isMulticast = get_address(the, "multicast", &settings.group);
	if (settings.port < 0 || settings.port > 65535)
		xsRangeError("%d is not a port", settings.port);
	if (settings.timeToLive > 255)
		xsRangeError("time to live %d is over 255", settings.timeToLive);
	return settings;
}

/* constructor({ port, address, multicast, timeToLive, onReadable }) */
void xs_udp_constructor(xsMachine *the)
{
	xsmcVars(2);
	UdpSettings settings = get_settings(the);
	xsVar(1) = machine_get_callback(the, &xsArg(0), "onReadable");
	int fd = open_socket(&settings);
	if (fd < 0) {
		int error = errno;
		xsUnknownError("cannot open UDP port %d: %s", settings.port, strerror(error));
	}
	Udp *udp = calloc(1, sizeof(Udp));
	if (!udp) {
		close(fd);
		xsUnknownError("no memory for a socket");
	}
	udp->source = (Source){ .fd = fd, .events = POLLIN, .ready = udp_ready };
	if (settings.isMulticast)
		udp->interfaceIndex = interface_index_of(fd, settings.interface);
	udp->address = settings.interface;
	xsmcSetHostData(xsThis, udp);
	machine_keep(the, &udp->self, xsThis);
	machine_keep(the, &udp->onReadable, xsVar(1));
	event_loop_add(&udp->source);
}

static bool is_for(const Udp *udp, const struct in_pktinfo *packet)
{
	const bool isFromHere = packet->ipi_ifindex == LOOPBACK_INDEX && packet->ipi_addr.s_addr == udp->address.s_addr;
	return (int)packet->ipi_ifindex == udp->interfaceIndex || isFromHere;
}

static bool is_accepted(const Udp *udp, struct msghdr *message)
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO)
			return !udp->interfaceIndex || is_for(udp, (struct in_pktinfo *)CMSG_DATA(header));
	}
	return !udp->interfaceIndex;
}

/* @returns the length of the next datagram from the right interface, -1 if there is none */
static ssize_t receive(Udp *udp, void *bytes, struct sockaddr_storage *from)
{
	for (;;) {
		char control[CMSG_SPACE(sizeof(struct in_pktinfo))];
		struct iovec part = { bytes, MAXIMUM_DATAGRAM_BYTES };
		struct msghdr message = {
			.msg_name = from, .msg_namelen = sizeof(*from), .msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		ssize_t length = recvmsg(udp->source.fd, &message, 0);
		if (length < 0 || is_accepted(udp, &message))
			return length;
	}
}

/*
 * The sender chooses the length, and an allocation that fails ends the machine. Only 9/20 of the room are for chunks.
 */
static bool has_room(xsMachine *the, size_t length)
{
	return heap_has_room(the, (length + 512) * 20 / 9, false);
}

/* read(): the next datagram as an ArrayBuffer with address and port, or undefined. */
void xs_udp_read(xsMachine *the)
{
	static uint8_t bytes[MAXIMUM_DATAGRAM_BYTES];
	struct sockaddr_storage from;
	Udp *udp = xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
	event_loop_watch(&udp->source, POLLIN);
	ssize_t length = receive(udp, bytes, &from);
	if (length < 0)
		return;
	if (!has_room(the, (size_t)length))
		length = 0;
	TextAddress source = socket_address_format(&from);
	xsmcVars(1);
	xsmcSetArrayBuffer(xsResult, bytes, (xsIntegerValue)length);
	xsmcSetString(xsVar(0), source.address);
	xsmcSet(xsResult, xsID("address"), xsVar(0));
	xsmcSetInteger(xsVar(0), source.port);
	xsmcSet(xsResult, xsID("port"), xsVar(0));
}

/* write(bytes, address, port): datagrams may be lost, including those that the network rejects. */
void xs_udp_write(xsMachine *the)
{
	char text[INET_ADDRSTRLEN];
	struct sockaddr_in address = { .sin_family = AF_INET };
	void *bytes;
	xsUnsignedValue length;
	int port = xsmcToInteger(xsArg(2));
	xsmcToStringBuffer(xsArg(1), text, sizeof(text));
	Udp *udp = xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (inet_pton(AF_INET, text, &address.sin_addr) != 1 || port < 1 || port > 65535)
		xsRangeError("cannot send to \"%s\" port %d", text, port);
	address.sin_port = htons(port);
	sendto(udp->source.fd, bytes, length, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof(address));
}

void xs_udp_port(xsMachine *the)
{
	Udp *udp = xsmcGetHostDataValidate(xsThis, xs_udp_destructor);
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	getsockname(udp->source.fd, (struct sockaddr *)&address, &length);
	xsmcSetInteger(xsResult, socket_address_format(&address).port);
}

void xs_udp_close(xsMachine *the)
{
	Udp *udp = machine_detach(the, xs_udp_destructor);
	if (!udp)
		return;
	machine_release(the, &udp->self);
	machine_release(the, &udp->onReadable);
	close_socket(udp);
	udp->isClosed = true;
	if (!udp->isBusy)
		free(udp);
}
