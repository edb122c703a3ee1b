/* SHA-256 of bytes in memory, in one call. */
#ifndef SVC_SHA256_OF_H
#define SVC_SHA256_OF_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

/* Over `first`, then `second`, which may be empty. */
void sha256_of(const void *first, size_t firstLength, const void *second, size_t secondLength,
	uint8_t digest[SHA256_BYTES]);

#endif
