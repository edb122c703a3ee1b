/* svc/ed25519: signature checks on the curve (signature-curve.h). Uses no operating system, since boards compile it too. */
#include "byte-arguments.h"
#include "signature-curve.h"

/* holds(signature, publicKey, digest): whether the signature was made with the key. */
void xs_ed25519_holds(xsMachine *the)
{
	const uint8_t *signature = bytes_argument(the, &xsArg(0), SIGNATURE_BYTES);
	const uint8_t *key = bytes_argument(the, &xsArg(1), PUBLIC_KEY_BYTES);
	const uint8_t *digest = bytes_argument(the, &xsArg(2), SIGNED_DIGEST_BYTES);
	xsmcSetBoolean(xsResult, signature_holds(signature, key, digest));
}

/* isPublicKey(bytes): whether only its owner can sign for it. */
void xs_ed25519_is_public_key(xsMachine *the)
{
	xsmcSetBoolean(xsResult, signature_key_is_usable(bytes_argument(the, &xsArg(0), PUBLIC_KEY_BYTES)));
}
