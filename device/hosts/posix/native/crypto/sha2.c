/*
 * SHA-256 and SHA-512 (FIPS 180-4 §6.2, §6.4). They differ in word width, rotations and number of rounds; the
 * constants of SHA-256 are the upper halves of those of SHA-512.
 */
#include "sha.h"

/* The first 64 bits of the fractional parts of the cube roots of the first 80 primes (FIPS 180-4 §4.2.3). */
static const uint64_t ROUND_CONSTANTS[80] = {
	0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
	0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
	0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
	0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
	0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
	0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
	0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
	0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
	0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
	0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
	0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
	0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
	0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
	0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
	0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
	0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
	0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
	0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
	0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
	0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
};

/* The first 64 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4 §5.3.5). */
static const uint64_t INITIAL[8] = {
	0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
	0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
};

#define ROTATE(word, count) ((word) >> (count) | (word) << (8 * sizeof(word) - (count)))

/*
 * A round (FIPS 180-4 §6.2.2, §6.4.2). The standard moves all working variables on; here their names rotate through
 * eight rounds, so only d and h change. Copying them took most of the time [measured]. Maj(a, b, c) is b where a and b
 * agree, and else c; in the next round, a ^ b is its b ^ c.
 */
#define ROUND(i, a, b, c, d, e, f, g, h, S0A, S0B, S0C, S1A, S1B, S1C) \
	h += (ROTATE(e, S1A) ^ ROTATE(e, S1B) ^ ROTATE(e, S1C)) + (g ^ (e & (f ^ g))) + words[i] \
		+ (ROUND_CONSTANTS[t + i] >> (64 - 8 * sizeof(h))); \
	d += h; \
	differs = a ^ b; \
	agreed &= differs; \
	h += (ROTATE(a, S0A) ^ ROTATE(a, S0B) ^ ROTATE(a, S0C)) + (agreed ^ b); \
	agreed = differs;

/* A word of a block. Macros, since GCC would call them as functions for size, for each word. */
#define WORD32(at) ((uint32_t)(at)[0] << 24 | (uint32_t)(at)[1] << 16 | (uint32_t)(at)[2] << 8 | (at)[3])
#define WORD64(at) ((uint64_t)WORD32(at) << 32 | WORD32((at) + 4))

/* The word of a message schedule after those of 16, 15, 7 and 2 words before it (FIPS 180-4 §6.2.2, §6.4.2). */
#define NEXT(w16, w15, w7, w2, s0A, s0B, s0C, s1A, s1B, s1C) \
	(w16) + (ROTATE(w15, s0A) ^ ROTATE(w15, s0B) ^ (w15) >> s0C) + (w7) \
		+ (ROTATE(w2, s1A) ^ ROTATE(w2, s1B) ^ (w2) >> s1C)

/* One block function for each width; the rotations are those of FIPS 180-4 §4.1.2 and §4.1.3. */
#define DEFINE_SHA2(NAME, WORD, READ, ROUNDS, S0A, S0B, S0C, S1A, S1B, S1C, s0A, s0B, s0C, s1A, s1B, s1C) \
	static void NAME##_block(uint64_t state[8], const uint8_t *block) \
	{ \
		WORD schedule[ROUNDS], a, b, c, d, e, f, g, h, agreed, differs; \
		for (int t = 0; t < 16; t++, block += sizeof(WORD)) \
			schedule[t] = READ(block); \
		/* In turn, so that each word stays in a register until it is the last but one, or the oldest. */ \
		WORD even = schedule[14], odd = schedule[15]; \
		a = schedule[0]; \
		for (int t = 16; t < ROUNDS; t += 2) { \
			b = schedule[t - 15]; \
			schedule[t] = even = NEXT(a, b, schedule[t - 7], even, s0A, s0B, s0C, s1A, s1B, s1C); \
			a = schedule[t - 14]; \
			schedule[t + 1] = odd = NEXT(b, a, schedule[t - 6], odd, s0A, s0B, s0C, s1A, s1B, s1C); \
		} \
		a = state[0], b = state[1], c = state[2], d = state[3]; \
		e = state[4], f = state[5], g = state[6], h = state[7]; \
		agreed = b ^ c; \
		for (int t = 0; t < ROUNDS; t += 8) { \
			const WORD *words = schedule + t; \
			ROUND(0, a, b, c, d, e, f, g, h, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(1, h, a, b, c, d, e, f, g, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(2, g, h, a, b, c, d, e, f, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(3, f, g, h, a, b, c, d, e, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(4, e, f, g, h, a, b, c, d, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(5, d, e, f, g, h, a, b, c, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(6, c, d, e, f, g, h, a, b, S0A, S0B, S0C, S1A, S1B, S1C) \
			ROUND(7, b, c, d, e, f, g, h, a, S0A, S0B, S0C, S1A, S1B, S1C) \
		} \
		const WORD sums[8] = { a, b, c, d, e, f, g, h }; \
		for (int i = 0; i < 8; i++) \
			state[i] = (WORD)(state[i] + sums[i]); \
	}

DEFINE_SHA2(sha256, uint32_t, WORD32, 64, 2, 13, 22, 6, 11, 25, 7, 18, 3, 17, 19, 10)
DEFINE_SHA2(sha512, uint64_t, WORD64, 80, 28, 34, 39, 14, 18, 41, 1, 8, 7, 19, 61, 6)

static void sha256_begin(uint64_t state[8])
{
	for (int i = 0; i < 8; i++)
		state[i] = INITIAL[i] >> 32;
}

static void sha512_begin(uint64_t state[8])
{
	for (int i = 0; i < 8; i++)
		state[i] = INITIAL[i];
}

const ShaAlgorithm sha256 = { 64, 4, 32, sha256_begin, sha256_block };
const ShaAlgorithm sha512 = { 128, 8, 64, sha512_begin, sha512_block };
