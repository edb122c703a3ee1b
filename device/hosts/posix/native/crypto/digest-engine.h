/* Digests by libcrypto, or by sha.c without it (SVC_WITHOUT_LIBCRYPTO). */
#ifndef SVC_DIGEST_ENGINE_H
#define SVC_DIGEST_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAXIMUM_DIGEST_BYTES = 64 };

typedef struct DigestEngine DigestEngine;

/* `SHA1`, `SHA256` and `SHA512` */
bool digest_engine_knows(const char *algorithm);

/* @returns NULL if there is no memory */
DigestEngine *digest_engine_new(const char *algorithm);
void digest_engine_write(DigestEngine *engine, const void *bytes, size_t length);
/*
 * Ends the digest.
 * @returns its length in bytes
 */
size_t digest_engine_end(DigestEngine *engine, uint8_t digest[MAXIMUM_DIGEST_BYTES]);
/* No-op for NULL. */
void digest_engine_delete(DigestEngine *engine);

#endif
