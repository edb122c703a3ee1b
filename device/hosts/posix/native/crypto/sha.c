/* Blocks and padding (sha.h), and SHA-1. */
#include "sha.h"

#include <stdbool.h>
#include <string.h>

void sha_begin(Sha *sha, const ShaAlgorithm *algorithm)
{
	*sha = (Sha){ .algorithm = algorithm };
	algorithm->begin(sha->state);
}

void sha_write(Sha *sha, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	while (length > 0) {
		size_t filled = sha->byteCount % sha->algorithm->blockBytes;
		size_t room = sha->algorithm->blockBytes - filled;
		size_t count = length < room ? length : room;
		const bool isWhole = count == sha->algorithm->blockBytes;	/* needs no copy */
		if (!isWhole)
			memcpy(sha->block + filled, at, count);
		if (count == room)
			sha->algorithm->block(sha->state, isWhole ? at : sha->block);
		sha->byteCount += count;
		at += count;
		length -= count;
	}
}

/* A one bit, zeros up to the end of a block, and in its last 8 bytes the number of bits (FIPS 180-4 §5.1). */
static void pad(Sha *sha)
{
	static const uint8_t zeros[SHA_MAXIMUM_BLOCK_BYTES];
	uint64_t bits = sha->byteCount * 8;
	uint8_t length[8];
	for (int i = 0; i < 8; i++)
		length[i] = bits >> (56 - 8 * i) & 0xFF;
	size_t blockBytes = sha->algorithm->blockBytes;
	sha_write(sha, "\x80", 1);
	// The length field has two words; with the longer words, its upper 8 bytes are zeros, too.
	size_t tail = (sha->byteCount + 2 * sha->algorithm->wordBytes) % blockBytes;
	sha_write(sha, zeros, (blockBytes - tail) % blockBytes);
	sha_write(sha, zeros, 2 * sha->algorithm->wordBytes - sizeof(length));
	sha_write(sha, length, sizeof(length));
}

size_t sha_end(Sha *sha, uint8_t digest[SHA_MAXIMUM_DIGEST_BYTES])
{
	pad(sha);
	size_t wordBytes = sha->algorithm->wordBytes;
	for (size_t i = 0; i < sha->algorithm->digestBytes; i++)
		digest[i] = sha->state[i / wordBytes] >> 8 * (wordBytes - 1 - i % wordBytes) & 0xFF;
	return sha->algorithm->digestBytes;
}

static uint32_t rotate_left(uint32_t word, int count)
{
	return word << count | word >> (32 - count);
}

/* The logical function of a round plus its constant (FIPS 180-4 §4.1.1, §4.2.1). */
static uint32_t mix(int round, const uint32_t v[5])
{
	switch (round / 20) {
	case 0:
		return ((v[1] & v[2]) ^ (~v[1] & v[3])) + 0x5A827999;
	case 1:
		return (v[1] ^ v[2] ^ v[3]) + 0x6ED9EBA1;
	case 2:
		return ((v[1] & v[2]) ^ (v[1] & v[3]) ^ (v[2] & v[3])) + 0x8F1BBCDC;
	default:
		return (v[1] ^ v[2] ^ v[3]) + 0xCA62C1D6;
	}
}

static void sha1_begin(uint64_t state[8])
{
	static const uint32_t initial[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
	for (int i = 0; i < 5; i++)
		state[i] = initial[i];
}

/* FIPS 180-4 §6.1.2 */
static void sha1_block(uint64_t state[8], const uint8_t *block)
{
	uint32_t schedule[80], v[5];
	for (int t = 0; t < 16; t++, block += 4)
		schedule[t] = (uint32_t)block[0] << 24 | block[1] << 16 | block[2] << 8 | block[3];
	for (int t = 16; t < 80; t++)
		schedule[t] = rotate_left(schedule[t - 3] ^ schedule[t - 8] ^ schedule[t - 14] ^ schedule[t - 16], 1);
	for (int i = 0; i < 5; i++)
		v[i] = (uint32_t)state[i];
	for (int t = 0; t < 80; t++) {
		uint32_t next = rotate_left(v[0], 5) + mix(t, v) + v[4] + schedule[t];
		memmove(v + 1, v, 4 * sizeof(*v));
		v[2] = rotate_left(v[2], 30);
		v[0] = next;
	}
	for (int i = 0; i < 5; i++)
		state[i] = (uint32_t)(state[i] + v[i]);
}

const ShaAlgorithm sha1 = { 64, 4, 20, sha1_begin, sha1_block };
