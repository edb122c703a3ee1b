/* HMAC-SHA-256 (RFC 2104) with a key of 32 bytes, over a purpose followed by the bytes. */
#ifndef SVC_HMAC_H
#define SVC_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HMAC_KEY_BYTES = 32, HMAC_BYTES = 32, MAXIMUM_PURPOSE_BYTES = 32 };

/* Of the purpose, its terminating zero, and the bytes. A purpose has fewer than MAXIMUM_PURPOSE_BYTES characters. */
void hmac_sha256(const uint8_t key[HMAC_KEY_BYTES], const char *purpose, const void *bytes, size_t length,
	uint8_t mac[HMAC_BYTES]);

/* Runs in constant time. */
bool hmac_is_same(const uint8_t one[HMAC_BYTES], const uint8_t other[HMAC_BYTES]);

#endif
