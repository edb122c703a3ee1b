/* Digests by sha.c (digest-engine.h). */
#ifdef SVC_WITHOUT_LIBCRYPTO

#include <stdlib.h>
#include <string.h>

#include "digest-engine.h"
#include "sha.h"

struct DigestEngine {
	Sha sha;
};

static const ShaAlgorithm *find(const char *algorithm)
{
	if (strcmp(algorithm, "SHA1") == 0)
		return &sha1;
	if (strcmp(algorithm, "SHA256") == 0)
		return &sha256;
	return strcmp(algorithm, "SHA512") == 0 ? &sha512 : NULL;
}

bool digest_engine_knows(const char *algorithm)
{
	return find(algorithm) != NULL;
}

DigestEngine *digest_engine_new(const char *algorithm)
{
	DigestEngine *engine = malloc(sizeof(DigestEngine));
	if (engine)
		sha_begin(&engine->sha, find(algorithm));
	return engine;
}

void digest_engine_write(DigestEngine *engine, const void *bytes, size_t length)
{
	sha_write(&engine->sha, bytes, length);
}

size_t digest_engine_end(DigestEngine *engine, uint8_t digest[MAXIMUM_DIGEST_BYTES])
{
	return sha_end(&engine->sha, digest);
}

void digest_engine_delete(DigestEngine *engine)
{
	free(engine);
}

#endif
