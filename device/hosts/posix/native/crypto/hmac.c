/* RFC 2104 §2 (hmac.h). */
#include "hmac.h"

#include <stdlib.h>
#include <string.h>

#include "sha256-of.h"

enum { BLOCK_BYTES = 64 };

_Static_assert((int)HMAC_BYTES == (int)SHA256_BYTES, "the code is a SHA-256");

void hmac_sha256(const uint8_t key[HMAC_KEY_BYTES], const char *purpose, const void *bytes, size_t length,
	uint8_t mac[HMAC_BYTES])
{
	uint8_t inner[BLOCK_BYTES + MAXIMUM_PURPOSE_BYTES], outer[BLOCK_BYTES], digest[SHA256_BYTES];
	const size_t purposeLength = strlen(purpose) + 1;
	if (purposeLength > MAXIMUM_PURPOSE_BYTES)
		abort();
	for (size_t index = 0; index < BLOCK_BYTES; index++) {
		const uint8_t byte = index < HMAC_KEY_BYTES ? key[index] : 0;
		inner[index] = byte ^ 0x36;
		outer[index] = byte ^ 0x5C;
	}
	memcpy(inner + BLOCK_BYTES, purpose, purposeLength);
	sha256_of(inner, BLOCK_BYTES + purposeLength, bytes, length, digest);
	sha256_of(outer, BLOCK_BYTES, digest, sizeof(digest), mac);
}

bool hmac_is_same(const uint8_t one[HMAC_BYTES], const uint8_t other[HMAC_BYTES])
{
	uint8_t difference = 0;
	for (size_t index = 0; index < HMAC_BYTES; index++)
		difference |= one[index] ^ other[index];
	return difference == 0;
}
