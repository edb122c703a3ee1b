/* The rule for valid signatures, over ref10's points and numbers (signature-curve.h). */
#include "signature-curve.h"

#include <string.h>

#include "../../../../node_modules/ref10/src/ed25519/ge.h"
#include "../../../../node_modules/ref10/src/ed25519/sc.h"

enum { POINT_BYTES = 32, SCALAR_BYTES = 32, S_AT = POINT_BYTES };

/* L, least significant byte first (RFC 8032 §5.1). */
static const uint8_t ORDER[SCALAR_BYTES] = {
	0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
	[31] = 0x10,
};

static bool is_below_order(const uint8_t scalar[SCALAR_BYTES])
{
	for (int i = SCALAR_BYTES - 1; i >= 0; i--) {
		if (scalar[i] != ORDER[i])
			return scalar[i] < ORDER[i];
	}
	return false;
}

/* ref10 itself accepts any S below 2^253. */
bool signature_holds(const uint8_t signature[SIGNATURE_BYTES], const uint8_t key[PUBLIC_KEY_BYTES],
	const uint8_t digest[SIGNED_DIGEST_BYTES])
{
	uint8_t k[SIGNED_DIGEST_BYTES], r[POINT_BYTES];
	ge_p3 negatedKey;
	ge_p2 sum;
	if (!is_below_order(signature + S_AT) || ge_frombytes_negate_vartime(&negatedKey, key) != 0)
		return false;
	memcpy(k, digest, sizeof(k));
	sc_reduce(k);
	ge_double_scalarmult_vartime(&sum, k, &negatedKey, signature + S_AT);
	ge_tobytes(r, &sum);
	return memcmp(r, signature, sizeof(r)) == 0;
}

/* Small orders divide 8, so eight times such a point is the neutral element: x is 0, y is 1. */
bool signature_key_is_usable(const uint8_t key[PUBLIC_KEY_BYTES])
{
	static const uint8_t neutral[POINT_BYTES] = { 1 };
	uint8_t bytes[POINT_BYTES];
	ge_p3 point;
	ge_p2 multiple;
	ge_p1p1 doubled;
	if (ge_frombytes_negate_vartime(&point, key) != 0)
		return false;
	ge_p3_to_p2(&multiple, &point);
	for (int doublings = 0; doublings < 3; doublings++) {
		ge_p2_dbl(&doubled, &multiple);
		ge_p1p1_to_p2(&multiple, &doubled);
	}
	ge_tobytes(bytes, &multiple);
	return memcmp(bytes, neutral, sizeof(bytes)) != 0;
}
