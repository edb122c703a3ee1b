/*
 * The part of POSIX sockets (sockets.c) that the console uses: streams over IPv4 that never block. Only the script
 * connects to them; their own connections are refused.
 */
#ifndef SVC_SYS_SOCKET_H
#define SVC_SYS_SOCKET_H

#include <stdint.h>
#include <sys/types.h>

enum { AF_UNSPEC, AF_INET = 2, AF_INET6 = 10 };
enum { SOCK_STREAM = 1, SOCK_NONBLOCK = 0x100, SOCK_CLOEXEC = 0x200 };
enum { SOL_SOCKET = 0xffff, SO_REUSEADDR = 1, SO_ERROR = 2 };
enum { SHUT_RD, SHUT_WR, SHUT_RDWR };
enum { MSG_NOSIGNAL = 1, MSG_DONTWAIT = 2 };		/* no-ops, since nothing blocks here */

typedef uint32_t socklen_t;
typedef uint16_t sa_family_t;

struct sockaddr {
	sa_family_t sa_family;
	char sa_data[14];
};

/* Room for an address of any family. */
struct sockaddr_storage {
	sa_family_t ss_family;
	_Alignas(4) char ss_data[24];
};

int socket(int family, int type, int protocol);
int bind(int fd, const struct sockaddr *address, socklen_t length);
int listen(int fd, int backlog);
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
int connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t send(int fd, const void *bytes, size_t count, int flags);
ssize_t recv(int fd, void *bytes, size_t count, int flags);
int shutdown(int fd, int how);
int getsockopt(int fd, int level, int option, void *value, socklen_t *length);
int setsockopt(int fd, int level, int option, const void *value, socklen_t length);
int getsockname(int fd, struct sockaddr *address, socklen_t *length);
int getpeername(int fd, struct sockaddr *address, socklen_t *length);

#endif
