/* crypt: digests, by libcrypto. */
#include <openssl/evp.h>

#include "machine.h"

static const EVP_MD *algorithm_named(const char *name)
{
	if (strcmp(name, "SHA1") == 0)
		return EVP_sha1();
	if (strcmp(name, "SHA256") == 0)
		return EVP_sha256();
	return strcmp(name, "SHA512") == 0 ? EVP_sha512() : NULL;
}

void xs_digest_destructor(void *data)
{
	EVP_MD_CTX_free(data);
}

/* new Digest(algorithm) */
void xs_digest_constructor(xsMachine *the)
{
	const char *name = xsmcToString(xsArg(0));
	const EVP_MD *algorithm = algorithm_named(name);
	if (!algorithm)
		xsRangeError("cannot digest with \"%s\"", name);
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	if (!digest || EVP_DigestInit_ex(digest, algorithm, NULL) != 1) {
		EVP_MD_CTX_free(digest);
		xsUnknownError("no memory");
	}
	xsmcSetHostData(xsThis, digest);
}

void xs_digest_write(xsMachine *the)
{
	EVP_MD_CTX *digest = xsmcGetHostDataValidate(xsThis, xs_digest_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	if (EVP_DigestUpdate(digest, bytes, length) != 1)
		xsUnknownError("cannot digest");
}

/* close(): the digest in an ArrayBuffer. */
void xs_digest_close(xsMachine *the)
{
	EVP_MD_CTX *digest = xsmcGetHostDataValidate(xsThis, xs_digest_destructor);
	uint8_t bytes[EVP_MAX_MD_SIZE];
	unsigned int length;
	if (EVP_DigestFinal_ex(digest, bytes, &length) != 1)
		xsUnknownError("cannot digest");
	xs_digest_destructor(digest);
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	xsmcSetArrayBuffer(xsResult, bytes, (xsIntegerValue)length);
}
