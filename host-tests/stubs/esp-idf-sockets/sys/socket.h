/* Stub, written for tests: Linux's sockets without what those of ESP-IDF lack; nothing of it runs. */
#ifndef STUB_SYS_SOCKET_H
#define STUB_SYS_SOCKET_H

#define SOCK_NONBLOCK STUB_SOCK_NONBLOCK
#define SOCK_CLOEXEC STUB_SOCK_CLOEXEC
#define accept4 stub_accept4
#include_next <sys/socket.h>
#undef SOCK_NONBLOCK
#undef SOCK_CLOEXEC
#undef accept4

#endif
