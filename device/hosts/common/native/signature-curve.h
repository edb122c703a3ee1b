/*
 * Ed25519 without the hash (RFC 8032 §5.1.7), by the rule of docs/adr/0006-which-signatures-hold.md. Nothing here is
 * secret, so nothing runs in constant time. Takes 3 KiB of stack.
 */
#ifndef SVC_SIGNATURE_CURVE_H
#define SVC_SIGNATURE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { SIGNATURE_BYTES = 64, PUBLIC_KEY_BYTES = 32, SIGNED_DIGEST_BYTES = 64 };

/*
 * Whether `signature` is valid for `key` and the message of `digest`, which is SHA-512 over R, the key and the
 * message.
 */
bool signature_holds(const uint8_t signature[SIGNATURE_BYTES], const uint8_t key[PUBLIC_KEY_BYTES],
	const uint8_t digest[SIGNED_DIGEST_BYTES]);

/* Whether `key` is a point of the curve, and not of small order. */
bool signature_key_is_usable(const uint8_t key[PUBLIC_KEY_BYTES]);

#endif
