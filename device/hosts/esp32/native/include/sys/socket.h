/*
 * lwIP's sockets with two calls that Linux has and lwIP lacks: a socket that does not block from its first moment. A board
 * has no other processes, which a descriptor could be left open in. lwIP does not put fragments together here, so that
 * no datagram is longer than a frame.
 */
#ifndef SVC_SYS_SOCKET_H
#define SVC_SYS_SOCKET_H

#include <fcntl.h>
#include_next <sys/socket.h>

enum { SOCK_NONBLOCK = 0x10000, SOCK_CLOEXEC = 0x20000 };

#define MAXIMUM_DATAGRAM_BYTES 1500

/* Not known to lwIP, which delivers what its own memberships ask for. */
enum { IP_MULTICAST_ALL = -1 };

static inline int socket_without_blocking(int fd)
{
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
	return fd;
}

static inline int socket_with_flags(int domain, int type, int protocol)
{
	const int fd = socket(domain, type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC), protocol);
	return type & SOCK_NONBLOCK ? socket_without_blocking(fd) : fd;
}

static inline int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	const int accepted = accept(fd, address, length);
	return flags & SOCK_NONBLOCK ? socket_without_blocking(accepted) : accepted;
}

#define socket(domain, type, protocol) socket_with_flags(domain, type, protocol)

#endif
