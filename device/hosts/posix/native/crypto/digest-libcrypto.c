/* Digests by libcrypto (digest-engine.h), which uses the processor's instructions for them. */
#ifndef SVC_WITHOUT_LIBCRYPTO

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "digest-engine.h"

_Static_assert(EVP_MAX_MD_SIZE <= MAXIMUM_DIGEST_BYTES, "a digest has room");

static const EVP_MD *find(const char *algorithm)
{
	if (strcmp(algorithm, "SHA1") == 0)
		return EVP_sha1();
	if (strcmp(algorithm, "SHA256") == 0)
		return EVP_sha256();
	return strcmp(algorithm, "SHA512") == 0 ? EVP_sha512() : NULL;
}

bool digest_engine_knows(const char *algorithm)
{
	return find(algorithm) != NULL;
}

/* With a known digest and enough memory, libcrypto does not fail. */
static void require(int result)
{
	if (result != 1)
		abort();
}

DigestEngine *digest_engine_new(const char *algorithm)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	if (context && EVP_DigestInit_ex(context, find(algorithm), NULL) != 1) {
		EVP_MD_CTX_free(context);
		context = NULL;
	}
	return (DigestEngine *)context;
}

void digest_engine_write(DigestEngine *engine, const void *bytes, size_t length)
{
	require(EVP_DigestUpdate((EVP_MD_CTX *)engine, bytes, length));
}

size_t digest_engine_end(DigestEngine *engine, uint8_t digest[MAXIMUM_DIGEST_BYTES])
{
	unsigned int length;
	require(EVP_DigestFinal_ex((EVP_MD_CTX *)engine, digest, &length));
	return length;
}

void digest_engine_delete(DigestEngine *engine)
{
	EVP_MD_CTX_free((EVP_MD_CTX *)engine);
}

#endif
