/* By the host's digest engine (sha256-of.h). */
#include "sha256-of.h"

#include <stdlib.h>
#include <string.h>

#include "digest-engine.h"

void sha256_of(const void *first, size_t firstLength, const void *second, size_t secondLength,
	uint8_t digest[SHA256_BYTES])
{
	uint8_t result[MAXIMUM_DIGEST_BYTES];
	DigestEngine *engine = digest_engine_new("SHA256");
	if (!engine)
		abort();
	digest_engine_write(engine, first, firstLength);
	digest_engine_write(engine, second, secondLength);
	digest_engine_end(engine, result);
	digest_engine_delete(engine);
	memcpy(digest, result, SHA256_BYTES);
}
