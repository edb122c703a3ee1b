/*
 * By libcrypto, or by sha.c without it (sha256-of.h). sha.c needs no memory: the record of firmware slots is checked while a
 * console may have none left.
 */
#include "sha256-of.h"

#ifdef SVC_WITHOUT_LIBCRYPTO

#include <string.h>

#include "sha.h"

void sha256_of(const void *first, size_t firstLength, const void *second, size_t secondLength,
	uint8_t digest[SHA256_BYTES])
{
	Sha sha;
	uint8_t result[SHA_MAXIMUM_DIGEST_BYTES];
	sha_begin(&sha, &sha256);
	sha_write(&sha, first, firstLength);
	sha_write(&sha, second, secondLength);
	const size_t length = sha_end(&sha, result);
	memcpy(digest, result, length);
}

#else

#include <openssl/evp.h>
#include <stdlib.h>

void sha256_of(const void *first, size_t firstLength, const void *second, size_t secondLength,
	uint8_t digest[SHA256_BYTES])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1
			|| EVP_DigestUpdate(context, first, firstLength) != 1
			|| EVP_DigestUpdate(context, second, secondLength) != 1
			|| EVP_DigestFinal_ex(context, digest, NULL) != 1)
		abort();			/* the computer has no memory left */
	EVP_MD_CTX_free(context);
}

#endif
