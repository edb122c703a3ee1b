/*
 * Sockets whose network is the script's wires (sys/socket.h). A listening socket is a port that wires connect to, an
 * accepted socket is a wire. The script receives every byte immediately, so sending never waits.
 *
 *     new --> listening              by listen()
 *        \--> refused                by connect(): there is no peer outside
 *     connected                      by accept4() of a listening one
 */
#include <sys/socket.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

#include "descriptors.h"
#include "wire.h"

/* In 192.0.2.0/24, which is reserved for documentation (RFC 5737): the console, and all peers. */
static const uint8_t OWN_ADDRESS[] = { 192, 0, 2, 10 };
static const uint8_t PEER_ADDRESS[] = { 192, 0, 2, 1 };

enum { MAXIMUM_SOCKETS = 64, FIRST_EPHEMERAL_PORT = 49152, EPHEMERAL_PORTS = 65536 - FIRST_EPHEMERAL_PORT };

typedef enum { SOCKET_CLOSED, SOCKET_NEW, SOCKET_LISTENING, SOCKET_CONNECTED, SOCKET_REFUSED } SocketPhase;

typedef struct {
	SocketPhase phase;
	int port;				/* the console's; 0: none yet */
	int peerPort;
	int error;				/* for SO_ERROR, which resets it */
	bool isShut;			/* sends nothing more */
	Wire *wire;				/* of a connected socket */
} Socket;

static Socket sockets[MAXIMUM_SOCKETS];

static int fail(int error)
{
	errno = error;
	return -1;
}

static int next_ephemeral_port(void)
{
	static unsigned int given;
	return FIRST_EPHEMERAL_PORT + (int)(given++ % EPHEMERAL_PORTS);
}

static ssize_t read_socket(void *object, void *bytes, size_t count)
{
	Socket *socket = object;
	if (socket->phase != SOCKET_CONNECTED)
		return fail(ENOTCONN);
	size_t taken = wire_take(socket->wire, bytes, count);
	if (taken > 0 || count == 0 || wire_is_closed(socket->wire))
		return (ssize_t)taken;
	return fail(EAGAIN);
}

static ssize_t write_socket(void *object, const void *bytes, size_t count)
{
	Socket *socket = object;
	if (socket->phase != SOCKET_CONNECTED)
		return fail(ENOTCONN);
	if (socket->isShut)
		return fail(EPIPE);
	wire_say(socket->wire, bytes, count);
	return (ssize_t)count;
}

static short connected_ready(const Socket *socket)
{
	bool isClosed = wire_is_closed(socket->wire);
	bool hasInput = isClosed || wire_untaken(socket->wire) > 0;
	return POLLOUT | (hasInput ? POLLIN : 0) | (isClosed && socket->isShut ? POLLHUP : 0);
}

static short socket_ready(void *object)
{
	const Socket *socket = object;
	switch (socket->phase) {
	case SOCKET_LISTENING:
		return wire_is_waiting(socket->port) ? POLLIN : 0;
	case SOCKET_CONNECTED:
		return connected_ready(socket);
	case SOCKET_REFUSED:
		return POLLIN | POLLOUT | POLLHUP | (socket->error ? POLLERR : 0);
	default:
		return POLLOUT | POLLHUP;
	}
}

static void close_socket(void *object)
{
	Socket *socket = object;
	if (socket->phase == SOCKET_LISTENING)
		wire_listen_no_more(socket->port);
	if (socket->phase == SOCKET_CONNECTED)
		wire_hang_up(socket->wire);
	socket->phase = SOCKET_CLOSED;
}

static const DescriptorKind SOCKET = { read_socket, write_socket, socket_ready, close_socket };

static Socket *find(int fd)
{
	return descriptor_object(fd, &SOCKET, ENOTSOCK);
}

/*
 * Opens a socket with the fields of `like`.
 * @returns its descriptor, -1 with errno set
 */
static int open_socket(const Socket *like)
{
	for (int index = 0; index < MAXIMUM_SOCKETS; index++) {
		if (sockets[index].phase != SOCKET_CLOSED)
			continue;
		int fd = descriptor_open(&SOCKET, &sockets[index]);
		if (fd >= 0)
			sockets[index] = *like;
		return fd;
	}
	return fail(EMFILE);
}

int socket(int family, int type, int protocol)
{
	if (family != AF_INET)
		return fail(EAFNOSUPPORT);
	if ((type & ~SOCK_CLOEXEC) != (SOCK_STREAM | SOCK_NONBLOCK))
		return fail(EINVAL);
	if (protocol != 0 && protocol != IPPROTO_TCP)
		return fail(EPROTONOSUPPORT);
	return open_socket(&(Socket){ .phase = SOCKET_NEW });
}

/* For any address: there is one interface. */
int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)address;
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	if (address->sa_family != AF_INET)
		return fail(EAFNOSUPPORT);
	if (length < sizeof(*ipv4) || socket->phase != SOCKET_NEW || socket->port != 0)
		return fail(EINVAL);
	socket->port = ipv4->sin_port ? ntohs(ipv4->sin_port) : next_ephemeral_port();
	return 0;
}

/* Any number of connections may wait to be accepted. */
int listen(int fd, int backlog)
{
	Socket *socket = find(fd);
	(void)backlog;
	if (!socket)
		return -1;
	if (socket->phase != SOCKET_NEW)
		return fail(EINVAL);
	if (socket->port == 0)
		socket->port = next_ephemeral_port();
	if (!wire_listen(socket->port))
		return fail(EADDRINUSE);
	socket->phase = SOCKET_LISTENING;
	return 0;
}

static int give_address(const uint8_t *numbers, int port, struct sockaddr *address, socklen_t *length)
{
	struct sockaddr_in ipv4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	memcpy(&ipv4.sin_addr, numbers, sizeof(ipv4.sin_addr));
	memcpy(address, &ipv4, *length < sizeof(ipv4) ? *length : sizeof(ipv4));
	*length = sizeof(ipv4);
	return 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	Socket *listening = find(fd);
	if (!listening)
		return -1;
	if (listening->phase != SOCKET_LISTENING || (flags & ~SOCK_CLOEXEC) != SOCK_NONBLOCK)
		return fail(EINVAL);
	if (!wire_is_waiting(listening->port))
		return fail(EAGAIN);
	Socket accepted = { .phase = SOCKET_CONNECTED, .port = listening->port, .peerPort = next_ephemeral_port() };
	int acceptedFd = open_socket(&accepted);
	if (acceptedFd < 0)
		return -1;
	find(acceptedFd)->wire = wire_accept(listening->port);
	if (address)
		give_address(PEER_ADDRESS, accepted.peerPort, address, length);
	return acceptedFd;
}

/* The refusal is reported later, as from another machine: by poll() and SO_ERROR. */
int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	if (address->sa_family != AF_INET)
		return fail(EAFNOSUPPORT);
	if (length < sizeof(struct sockaddr_in))
		return fail(EINVAL);
	if (socket->phase != SOCKET_NEW)
		return fail(socket->phase == SOCKET_REFUSED ? ECONNABORTED : EISCONN);
	socket->phase = SOCKET_REFUSED;
	socket->error = ECONNREFUSED;
	return fail(EINPROGRESS);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
	Socket *socket = find(fd);
	(void)flags;		// there are no signals
	return socket ? write_socket(socket, bytes, count) : -1;
}

ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	return flags ? fail(EINVAL) : read_socket(socket, bytes, count);
}

int shutdown(int fd, int how)
{
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	if (how != SHUT_WR)
		return fail(EINVAL);
	if (socket->phase != SOCKET_CONNECTED)
		return fail(ENOTCONN);
	socket->isShut = true;
	wire_end(socket->wire);
	return 0;
}

int getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	if (level != SOL_SOCKET || option != SO_ERROR)
		return fail(ENOPROTOOPT);
	if (*length < sizeof(socket->error))
		return fail(EINVAL);
	memcpy(value, &socket->error, sizeof(socket->error));
	*length = sizeof(socket->error);
	socket->error = 0;
	return 0;
}

/* Options without effect here: nothing is delayed, and no port outlives its socket. */
int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	(void)value;
	if (!find(fd))
		return -1;
	if (length < sizeof(int))
		return fail(EINVAL);
	bool isKnown = (level == SOL_SOCKET && option == SO_REUSEADDR) || (level == IPPROTO_TCP && option == TCP_NODELAY);
	return isKnown ? 0 : fail(ENOPROTOOPT);
}

int getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
	static const uint8_t EVERY_ADDRESS[4];
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	const uint8_t *numbers = socket->phase == SOCKET_CONNECTED ? OWN_ADDRESS : EVERY_ADDRESS;
	return give_address(numbers, socket->port, address, length);
}

int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
	Socket *socket = find(fd);
	if (!socket)
		return -1;
	if (socket->phase != SOCKET_CONNECTED)
		return fail(ENOTCONN);
	return give_address(PEER_ADDRESS, socket->peerPort, address, length);
}
