/* crypt: digests, over the host's implementation (digest-engine.h). */
#include "digest-engine.h"
#include "machine.h"

void xs_digest_destructor(void *data)
{
	digest_engine_delete(data);
}

/* new Digest(algorithm) */
void xs_digest_constructor(xsMachine *the)
{
	const char *algorithm = xsmcToString(xsArg(0));
	if (!digest_engine_knows(algorithm))
		xsRangeError("cannot digest with \"%s\"", algorithm);
	DigestEngine *engine = digest_engine_new(algorithm);
	if (!engine)
		xsUnknownError("no memory");
	xsmcSetHostData(xsThis, engine);
}

void xs_digest_write(xsMachine *the)
{
	DigestEngine *engine = xsmcGetHostDataValidate(xsThis, xs_digest_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	digest_engine_write(engine, bytes, length);
}

/* close(): returns the digest in an ArrayBuffer. */
void xs_digest_close(xsMachine *the)
{
	DigestEngine *engine = xsmcGetHostDataValidate(xsThis, xs_digest_destructor);
	uint8_t digest[MAXIMUM_DIGEST_BYTES];
	size_t length = digest_engine_end(engine, digest);
	digest_engine_delete(engine);
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	xsmcSetArrayBuffer(xsResult, digest, (xsIntegerValue)length);
}
