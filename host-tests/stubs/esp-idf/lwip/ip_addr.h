/* Stub, written for tests: what device/hosts/esp32 uses of lwIP's addresses, by its documentation; nothing of it runs. */
#ifndef STUB_LWIP_IP_ADDR_H
#define STUB_LWIP_IP_ADDR_H

#include <stdint.h>

typedef struct { uint32_t addr[4]; uint8_t type; } ip_addr_t;
#define IPADDR_STRLEN_MAX 46

char *ipaddr_ntoa_r(const ip_addr_t *address, char *buffer, int length);

#endif
