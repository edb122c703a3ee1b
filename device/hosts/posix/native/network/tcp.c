/* embedded:io/socket/tcp (ECMA-419 §11): the class over tcp-connection.c. */
#include "tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "byte-arguments.h"
#include "socket-address.h"
#include "tcp-connection.h"

void xs_tcp_destructor(void *data)
{
	Tcp *tcp = data;
	if (!tcp)
		return;
	tcp_close_socket(tcp);
	free(tcp);
}

bool tcp_give(xsMachine *the, xsSlot *instance, int fd)
{
	Tcp *tcp = tcp_connection_new(fd, TCP_OPEN);
	if (!tcp)
		return false;
	xsmcSetHostData(*instance, tcp);
	return true;
}

static void detach(xsMachine *the, xsSlot *instance)
{
	xsmcSetHostData(*instance, NULL);
	xsmcSetHostDestructor(*instance, NULL);
}

/* Takes the connection out of an object that has no callbacks yet. */
static Tcp *take_from(xsMachine *the, xsSlot *from)
{
	Tcp *tcp = xsmcGetHostDataValidate(*from, xs_tcp_destructor);
	if (!tcp || tcp->isAdopted)
		xsTypeError("cannot adopt this connection");
	detach(the, from);
	return tcp;
}

/*
 * onError reports every network failure, now or later.
 * @param phase set to the resulting phase
 */
static int start_connecting(xsMachine *the, const char *host, int port, TcpPhase *phase)
{
	SocketAddress address;
	if (!socket_address_parse(host, port, &address))
		xsRangeError("\"%s\" is not a numeric address", host);
	int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		xsUnknownError("cannot open a socket: %s", strerror(errno));
	bool isOnItsWay = connect(fd, (struct sockaddr *)&address.storage, address.length) == 0 || errno == EINPROGRESS;
	*phase = isOnItsWay ? TCP_CONNECTING : TCP_FAILED;
	return fd;
}

/* Connects to the address and port of the options. Uses xsVar(1). */
static int connect_to_options(xsMachine *the, TcpPhase *phase)
{
	char host[INET6_ADDRSTRLEN];
	xsmcGet(xsVar(1), xsArg(0), xsID("port"));
	int port = xsmcToInteger(xsVar(1));
	xsmcGet(xsVar(1), xsArg(0), xsID("address"));
	if (xsmcTypeOf(xsVar(1)) == xsUndefinedType)
		xsmcGet(xsVar(1), xsArg(0), xsID("host"));
	xsmcToStringBuffer(xsVar(1), host, sizeof(host));
	if (port < 1 || port > 65535)
		xsRangeError("%d is not a port", port);
	return start_connecting(the, host, port, phase);
}

/*
 * Uses xsVar(1).
 * @param phase set to the resulting phase
 */
static Tcp *new_connection(xsMachine *the, TcpPhase *phase)
{
	int fd = connect_to_options(the, phase);
	Tcp *tcp = tcp_connection_new(fd, *phase);
	if (!tcp) {
		close(fd);
		xsUnknownError("no memory for a connection");
	}
	return tcp;
}

/* constructor({ from } or { address, port }, with nodelay, onReadable, onWritable, onError, onBroken) */
void xs_tcp_constructor(xsMachine *the)
{
	xsmcVars(6);
	xsmcGet(xsVar(0), xsArg(0), xsID("nodelay"));
	int noDelay = xsmcTest(xsVar(0));
	xsVar(2) = machine_get_callback(the, &xsArg(0), "onReadable");
	xsVar(3) = machine_get_callback(the, &xsArg(0), "onWritable");
	xsVar(4) = machine_get_callback(the, &xsArg(0), "onError");
	xsVar(5) = machine_get_callback(the, &xsArg(0), "onBroken");
	xsmcGet(xsVar(0), xsArg(0), xsID("from"));
	bool isAdopting = xsmcTest(xsVar(0));
	TcpPhase phase = TCP_OPEN;
	Tcp *tcp = isAdopting ? take_from(the, &xsVar(0)) : new_connection(the, &phase);
	setsockopt(tcp->source.fd, IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof(noDelay));
	xsmcSetHostData(xsThis, tcp);
	machine_keep(the, &tcp->self, xsThis);
	machine_keep(the, &tcp->onReadable, xsVar(2));
	machine_keep(the, &tcp->onWritable, xsVar(3));
	machine_keep(the, &tcp->onError, xsVar(4));
	machine_keep(the, &tcp->onBroken, xsVar(5));
	tcp->isAdopted = true;
	tcp->source.deferred = phase != TCP_CONNECTING;		// onWritable, or onError, follows this turn
	tcp_watch(tcp);
	event_loop_add(&tcp->source);
}

void xs_tcp_read(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	read_from_queue(the, &tcp->input);
	tcp_schedule_callbacks(tcp);
	tcp_watch(tcp);
}

/* write(bytes): all or nothing. */
void xs_tcp_write(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (!tcp_send(tcp, bytes, length))
		xsRangeError("cannot write %u bytes, there is no room for them now", (unsigned)length);
	tcp_schedule_callbacks(tcp);
	tcp_watch(tcp);
	xsmcSetInteger(xsResult, (xsIntegerValue)byte_queue_room(&tcp->output));
}

void xs_tcp_close(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostData(xsThis);
	if (!tcp)
		return;
	detach(the, &xsThis);
	if (tcp->isAdopted) {
		machine_release(the, &tcp->self);
		machine_release(the, &tcp->onReadable);
		machine_release(the, &tcp->onWritable);
		machine_release(the, &tcp->onError);
		machine_release(the, &tcp->onBroken);
	}
	tcp_close_socket(tcp);
	tcp->isClosed = true;
	if (!tcp->isBusy)
		free(tcp);
}

static bool get_peer(xsMachine *the, TextAddress *peer)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	if (getpeername(tcp->source.fd, (struct sockaddr *)&address, &length) != 0)
		return false;
	*peer = socket_address_format(&address);
	return true;
}

void xs_tcp_remote_address(xsMachine *the)
{
	TextAddress peer;
	if (get_peer(the, &peer))
		xsmcSetString(xsResult, peer.address);
}

void xs_tcp_local_address(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	if (getsockname(tcp->source.fd, (struct sockaddr *)&address, &length) == 0)
		xsmcSetString(xsResult, socket_address_format(&address).address);
}

void xs_tcp_remote_port(xsMachine *the)
{
	TextAddress peer;
	if (get_peer(the, &peer))
		xsmcSetInteger(xsResult, peer.port);
}
