/* Stub, written for tests: the header that ESP-IDF's <sys/socket.h> is made of; nothing of it runs. */
#ifndef STUB_LWIP_SOCKETS_H
#define STUB_LWIP_SOCKETS_H

#include <sys/socket.h>

#endif
