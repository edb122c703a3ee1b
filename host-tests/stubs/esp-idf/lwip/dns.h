/* Stub, written for tests: what device/hosts/esp32 uses of lwIP's DNS client, by its documentation; nothing of it runs. */
#ifndef STUB_LWIP_DNS_H
#define STUB_LWIP_DNS_H

#include "lwip/ip_addr.h"

typedef int8_t err_t;
enum { ERR_OK = 0, ERR_INPROGRESS = -5 };
#define LWIP_DNS_ADDRTYPE_IPV4_IPV6 2

typedef void (*dns_found_callback)(const char *name, const ip_addr_t *address, void *arg);

err_t dns_gethostbyname_addrtype(const char *name, ip_addr_t *address, dns_found_callback found, void *arg,
	uint8_t type);

#endif
