/* Socket addresses. IPv6 has types here but no sockets: the board's network is IPv4. */
#ifndef SVC_NETINET_IN_H
#define SVC_NETINET_IN_H

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { IPPROTO_TCP = 6, IPPROTO_IPV6 = 41 };
enum { IPV6_V6ONLY = 26 };
enum { INET_ADDRSTRLEN = 16, INET6_ADDRSTRLEN = 46 };

typedef uint16_t in_port_t;

/* In network byte order. */
struct in_addr {
	uint32_t s_addr;
};

struct sockaddr_in {
	sa_family_t sin_family;
	in_port_t sin_port;
	struct in_addr sin_addr;
};

struct in6_addr {
	uint8_t s6_addr[16];
};

struct sockaddr_in6 {
	sa_family_t sin6_family;
	in_port_t sin6_port;
	uint32_t sin6_flowinfo;
	struct in6_addr sin6_addr;
	uint32_t sin6_scope_id;
};

_Static_assert(sizeof(struct sockaddr_in6) <= sizeof(struct sockaddr_storage), "an address of any family fits");

/* ::ffff:0:0/96 (RFC 4291 §2.5.5.2). */
static inline int IN6_IS_ADDR_V4MAPPED(const struct in6_addr *address)
{
	return memcmp(address->s6_addr, "\0\0\0\0\0\0\0\0\0\0\377\377", 12) == 0;
}

#endif
