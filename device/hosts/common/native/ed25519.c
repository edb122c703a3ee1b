/* svc/ed25519: the curve of signatures. Compiled for boards too: nothing of an operating system in here. */
#include "xsmc.h"

#include "signature-curve.h"

/* The bytes of an argument that has `byteLength`; valid until the machine allocates. */
static const uint8_t *bytes_of(xsMachine *the, xsSlot *argument, xsUnsignedValue byteLength)
{
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(*argument, &bytes, &length);
	if (length != byteLength)
		xsRangeError("%d bytes, not %d", (int)length, (int)byteLength);
	return bytes;
}

/* holds(signature, publicKey, digest): whether the signature is that of the key. */
void xs_ed25519_holds(xsMachine *the)
{
	const uint8_t *signature = bytes_of(the, &xsArg(0), SIGNATURE_BYTES);
	const uint8_t *key = bytes_of(the, &xsArg(1), PUBLIC_KEY_BYTES);
	const uint8_t *digest = bytes_of(the, &xsArg(2), SIGNED_DIGEST_BYTES);
	xsmcSetBoolean(xsResult, signature_holds(signature, key, digest));
}

/* isPublicKey(bytes): whether only its owner can sign for it. */
void xs_ed25519_is_public_key(xsMachine *the)
{
	xsmcSetBoolean(xsResult, signature_key_is_usable(bytes_of(the, &xsArg(0), PUBLIC_KEY_BYTES)));
}
