/*
 * embedded:io/socket/tcp (ECMA-419 §11) over a non-blocking socket, with flow control by counts.
 *
 * Input: what the kernel has goes into a queue of 4 KiB and is announced once; while the queue is full the
 * kernel's own buffer fills and the peer waits. Output: sent at once where the kernel takes it, the rest
 * waits in a queue. `announced` is the room that the program believes in; more is announced as soon as
 * there is, but not before half of the queue is free, so that a slow peer costs no callback a byte.
 *
 *   connecting --> open --> ended (the peer has closed; onError once all input was read)
 *        \           \---> failed (output is dropped from here on; onError likewise)
 *         `-----------------^
 */
#include "tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "byte-arguments.h"
#include "event-loop.h"
#include "linger.h"
#include "socket-address.h"

enum { INPUT_BYTES = 4096, OUTPUT_BYTES = 4096 };

typedef enum { CONNECTING, OPEN, ENDED, FAILED } Phase;

typedef struct {
	Source source;
	Phase phase;
	bool isAdopted;			/* has callbacks, and is known to the event loop */
	bool isBusy;			/* within tcp_ready: close() leaves the record to it */
	bool isClosed;
	bool isEndReported;
	size_t announced;
	ByteQueue input;
	ByteQueue output;
	xsSlot self;
	xsSlot onReadable;
	xsSlot onWritable;
	xsSlot onError;
	uint8_t inputBytes[INPUT_BYTES];
	uint8_t outputBytes[OUTPUT_BYTES];
} Tcp;

static void watch(Tcp *tcp)
{
	bool wantsInput = tcp->phase == OPEN && byte_queue_room(&tcp->input) > 0;
	bool wantsOutput = tcp->phase == CONNECTING || (tcp->phase != FAILED && tcp->output.length > 0);
	tcp->source.events = (wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0);
}

static void fail(Tcp *tcp)
{
	tcp->phase = FAILED;
	byte_queue_clear(&tcp->output);
}

static size_t send_now(Tcp *tcp, const uint8_t *bytes, size_t count)
{
	ssize_t sent = count > 0 ? send(tcp->source.fd, bytes, count, MSG_NOSIGNAL) : 0;
	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		fail(tcp);
	return sent < 0 ? 0 : (size_t)sent;
}

/* @returns whether bytes have come in */
static bool receive(Tcp *tcp)
{
	uint8_t *tail = byte_queue_tail(&tcp->input);
	ssize_t received = recv(tcp->source.fd, tail, byte_queue_room(&tcp->input), 0);
	if (received > 0)
		byte_queue_added(&tcp->input, received);
	else if (received == 0)
		tcp->phase = ENDED;
	else if (errno != EAGAIN && errno != EINTR)
		fail(tcp);
	return received > 0;
}

static void finish_connecting(Tcp *tcp)
{
	int error = 0;
	socklen_t length = sizeof(error);
	getsockopt(tcp->source.fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (error)
		fail(tcp);
	else
		tcp->phase = OPEN;
}

static bool has_more_room(const Tcp *tcp)
{
	size_t room = byte_queue_room(&tcp->output);
	bool isWritable = tcp->phase == OPEN || tcp->phase == ENDED;
	return isWritable && room > tcp->announced && room >= OUTPUT_BYTES / 2;
}

static bool has_ended(const Tcp *tcp)
{
	return (tcp->phase == ENDED || tcp->phase == FAILED) && tcp->input.length == 0 && !tcp->isEndReported;
}

/* Whatever there is to tell, one callback after the other; any of them may close the connection. */
static void tell(Tcp *tcp, bool hasNewInput)
{
	if (hasNewInput)
		machine_call_count(&tcp->self, &tcp->onReadable, tcp->input.length);
	if (!tcp->isClosed && has_more_room(tcp)) {
		tcp->announced = byte_queue_room(&tcp->output);
		machine_call_count(&tcp->self, &tcp->onWritable, tcp->announced);
	}
	if (!tcp->isClosed && has_ended(tcp)) {
		tcp->isEndReported = true;
		machine_call(&tcp->self, &tcp->onError);
	}
}

static void tcp_ready(Source *source, short revents)
{
	Tcp *tcp = (Tcp *)source;
	bool hasNewInput = false;
	tcp->isBusy = true;
	if (tcp->phase == CONNECTING) {
		if (revents)
			finish_connecting(tcp);
	}
	else if (revents) {
		if (revents & POLLOUT)
			byte_queue_drop(&tcp->output, send_now(tcp, byte_queue_head(&tcp->output), tcp->output.length));
		if (tcp->phase == OPEN && (revents & (POLLIN | POLLHUP | POLLERR)) && byte_queue_room(&tcp->input) > 0)
			hasNewInput = receive(tcp);
	}
	tell(tcp, hasNewInput);
	tcp->isBusy = false;
	if (tcp->isClosed)
		free(tcp);
	else
		watch(tcp);
}

/* Off the loop, the socket closed in the way that suits its phase. The record stays. */
static void let_go(Tcp *tcp)
{
	if (tcp->isAdopted)
		event_loop_remove(&tcp->source);
	if (tcp->source.fd < 0)
		return;
	if (tcp->phase == OPEN || tcp->phase == ENDED)
		linger(tcp->source.fd, byte_queue_head(&tcp->output), tcp->output.length);
	else
		close(tcp->source.fd);
}

void xs_tcp_destructor(void *data)
{
	Tcp *tcp = data;
	if (!tcp)
		return;
	let_go(tcp);
	free(tcp);
}

static Tcp *tcp_new(int fd, Phase phase)
{
	Tcp *tcp = malloc(sizeof(Tcp));
	if (!tcp)
		abort();
	memset(tcp, 0, offsetof(Tcp, inputBytes));
	tcp->source = (Source){ .fd = fd, .ready = tcp_ready };
	tcp->phase = phase;
	byte_queue_open(&tcp->input, tcp->inputBytes, INPUT_BYTES);
	byte_queue_open(&tcp->output, tcp->outputBytes, OUTPUT_BYTES);
	return tcp;
}

void tcp_give(xsMachine *the, xsSlot *instance, int fd)
{
	xsmcSetHostData(*instance, tcp_new(fd, OPEN));
}

static void detach(xsMachine *the, xsSlot *instance)
{
	xsmcSetHostData(*instance, NULL);
	xsmcSetHostDestructor(*instance, NULL);
}

/* Takes the socket out of an object that nobody has given callbacks yet. */
static int take_from(xsMachine *the, xsSlot *from)
{
	Tcp *tcp = xsmcGetHostDataValidate(*from, xs_tcp_destructor);
	if (!tcp || tcp->isAdopted)
		xsTypeError("cannot adopt this connection");
	int fd = tcp->source.fd;
	detach(the, from);
	free(tcp);
	return fd;
}

static int start_connecting(xsMachine *the, const char *host, int port)
{
	SocketAddress address;
	if (!socket_address_parse(host, port, &address))
		xsRangeError("\"%s\" is no numeric address", host);
	int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		xsUnknownError("cannot open a socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&address.storage, address.length) != 0 && errno != EINPROGRESS) {
		int error = errno;
		close(fd);
		xsUnknownError("cannot connect to %s: %s", host, strerror(error));
	}
	return fd;
}

/* Address and port of the options. xsVar(1) is used. */
static int connect_as_told(xsMachine *the)
{
	char host[INET6_ADDRSTRLEN];
	xsmcGet(xsVar(1), xsArg(0), xsID("port"));
	int port = xsmcToInteger(xsVar(1));
	xsmcGet(xsVar(1), xsArg(0), xsID("address"));
	if (xsmcTypeOf(xsVar(1)) == xsUndefinedType)
		xsmcGet(xsVar(1), xsArg(0), xsID("host"));
	xsmcToStringBuffer(xsVar(1), host, sizeof(host));
	if (port < 1 || port > 65535)
		xsRangeError("%d is no port", port);
	return start_connecting(the, host, port);
}

/* constructor({ from } or { address, port }, with nodelay, onReadable, onWritable, onError) */
void xs_tcp_constructor(xsMachine *the)
{
	xsmcVars(5);
	xsmcGet(xsVar(0), xsArg(0), xsID("nodelay"));
	int noDelay = xsmcTest(xsVar(0));
	xsVar(2) = machine_get_callback(the, &xsArg(0), "onReadable");
	xsVar(3) = machine_get_callback(the, &xsArg(0), "onWritable");
	xsVar(4) = machine_get_callback(the, &xsArg(0), "onError");
	xsmcGet(xsVar(0), xsArg(0), xsID("from"));
	bool isAdopting = xsmcTest(xsVar(0));
	int fd = isAdopting ? take_from(the, &xsVar(0)) : connect_as_told(the);
	Tcp *tcp = tcp_new(fd, isAdopting ? OPEN : CONNECTING);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof(noDelay));
	xsmcSetHostData(xsThis, tcp);
	machine_keep(the, &tcp->self, xsThis);
	machine_keep(the, &tcp->onReadable, xsVar(2));
	machine_keep(the, &tcp->onWritable, xsVar(3));
	machine_keep(the, &tcp->onError, xsVar(4));
	tcp->isAdopted = true;
	tcp->source.deferred = isAdopting;		// onWritable follows this turn
	watch(tcp);
	event_loop_add(&tcp->source);
}

void xs_tcp_read(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	read_from_queue(the, &tcp->input);
	tcp->source.deferred |= has_ended(tcp);
	watch(tcp);
}

/* write(bytes): all or nothing. Bytes for a connection that has failed are dropped, as the network would. */
void xs_tcp_write(xsMachine *the)
{
	Tcp *tcp = xsmcGetHostDataValidate(xsThis, xs_tcp_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	size_t room = tcp->phase == CONNECTING ? 0 : byte_queue_room(&tcp->output);
	if (length > room)
		xsRangeError("cannot write %u bytes, there is room for %u", (unsigned)length, (unsigned)room);
	size_t sent = tcp->output.length == 0 ? send_now(tcp, bytes, tcp->phase == FAILED ? 0 : length) : 0;
	if (tcp->phase != FAILED)
		byte_queue_append(&tcp->output, (uint8_t *)bytes + sent, length - sent);
	tcp->announced -= length < tcp->announced ? length : tcp->announced;
	tcp->source.deferred |= has_more_room(tcp) || has_ended(tcp);
	watch(tcp);
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
	}
	let_go(tcp);
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

void xs_tcp_remote_port(xsMachine *the)
{
	TextAddress peer;
	if (get_peer(the, &peer))
		xsmcSetInteger(xsResult, peer.port);
}
