/* Stub, written for tests: what device/hosts/esp32 uses of lwIP's task, by its documentation; nothing of it runs. */
#ifndef STUB_LWIP_TCPIP_H
#define STUB_LWIP_TCPIP_H

#include "lwip/dns.h"

typedef void (*tcpip_callback_fn)(void *ctx);

err_t tcpip_callback(tcpip_callback_fn function, void *ctx);

#endif
