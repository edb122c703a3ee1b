/* Stub, written for tests: Linux's addresses without a test that those of ESP-IDF lack; nothing of it runs. */
#ifndef STUB_NETINET_IN_H
#define STUB_NETINET_IN_H

#include_next <netinet/in.h>
#undef IN6_IS_ADDR_V4MAPPED

#endif
