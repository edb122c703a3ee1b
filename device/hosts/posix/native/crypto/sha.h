/*
 * The secure hash algorithms of FIPS 180-4, for builds without libcrypto: Debian's 32-bit compiler brings none. They
 * share the padding; each has a block function over words of its own width.
 */
#ifndef SVC_SHA_H
#define SVC_SHA_H

#include <stddef.h>
#include <stdint.h>

enum { SHA_MAXIMUM_BLOCK_BYTES = 128, SHA_MAXIMUM_DIGEST_BYTES = 64 };

typedef struct {
	size_t blockBytes;
	size_t wordBytes;
	size_t digestBytes;
	void (*begin)(uint64_t state[8]);
	void (*block)(uint64_t state[8], const uint8_t *block);
} ShaAlgorithm;

extern const ShaAlgorithm sha1;
extern const ShaAlgorithm sha256;
extern const ShaAlgorithm sha512;

typedef struct {
	const ShaAlgorithm *algorithm;
	uint64_t state[8];		/* words of the algorithm's width */
	uint64_t byteCount;
	uint8_t block[SHA_MAXIMUM_BLOCK_BYTES];
} Sha;

void sha_begin(Sha *sha, const ShaAlgorithm *algorithm);
void sha_write(Sha *sha, const void *bytes, size_t length);
/* @returns the length of the digest in bytes */
size_t sha_end(Sha *sha, uint8_t digest[SHA_MAXIMUM_DIGEST_BYTES]);

#endif
