/* lwIP's addresses, and a test of RFC 3493 §6.4 that they lack. */
#ifndef SVC_NETINET_IN_H
#define SVC_NETINET_IN_H

#include <string.h>
#include_next <netinet/in.h>
#include "lwip/sockets.h"

#ifndef IN6_IS_ADDR_V4MAPPED
#define IN6_IS_ADDR_V4MAPPED(address) \
	(memcmp((address), "\0\0\0\0\0\0\0\0\0\0\xFF\xFF", 12) == 0)
#endif

#endif
