/*
 * Sums of numbers of 64 bits on Arm. The compiler's library (`__aeabi_dadd` of libgcc, of gcc 12 at least) rounds some of
 * them wrongly whose exponents differ by 32 or 33: it keeps too little of the smaller number. Those that differ so far are
 * added here, all others there. The linker has these functions called in place of the library's (`--wrap`).
 */
#include "wasm-rt.h"

enum { EXPONENT_AT = 52, EXPONENT_BITS = 0x7ff };

/* Bits that a sum has below the significand: of those that are still lower, it is only known whether there are any. */
enum { GUARD_BITS = 10 };

/* From this difference of exponents on, numbers are added here. */
enum { FAR = 32 };

static const uint64_t SIGN = 1ull << 63, FRACTION = (1ull << EXPONENT_AT) - 1, HIDDEN = 1ull << EXPONENT_AT;

double NATIVE_NUMBERS __real___aeabi_dadd(double one, double other);

static uint64_t bits_of(double value)
{
	uint64_t bits;
	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double number_of(uint64_t bits)
{
	double value;
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

static int32_t exponent_of(uint64_t bits) { return (int32_t)(bits >> EXPONENT_AT & EXPONENT_BITS); }

/* Rounds to the nearest, and to the even one of two. */
static uint64_t rounded(uint64_t sum)
{
	const uint64_t HALF = 1ull << (GUARD_BITS - 1);
	const uint64_t rest = sum & (2 * HALF - 1), kept = sum >> GUARD_BITS;
	return kept + (rest > HALF || (rest == HALF && (kept & 1)));
}

/* The smaller number as a part of the sum; its lowest bit is set if there are bits below. */
static uint64_t part_of(uint64_t smaller, int32_t difference)
{
	const uint64_t significand = (smaller & FRACTION) | (exponent_of(smaller) ? HIDDEN : 0);
	const int32_t dropped = difference - GUARD_BITS;
	if (dropped > EXPONENT_AT)
		return significand != 0;
	return significand >> dropped | ((significand & ((1ull << dropped) - 1)) != 0);
}

/* @param difference of their exponents, at least FAR: so the sum has the place of the larger number, or the one beside it */
static uint64_t far_sum(uint64_t larger, uint64_t smaller, int32_t difference)
{
	const uint64_t part = part_of(smaller, difference), one = ((larger & FRACTION) | HIDDEN) << GUARD_BITS;
	uint64_t sum = (larger ^ smaller) & SIGN ? one - part : one + part;
	int32_t exponent = exponent_of(larger);
	if (sum >> (EXPONENT_AT + GUARD_BITS + 1)) {
		sum = sum >> 1 | (sum & 1);
		exponent++;
	} else if (!(sum >> (EXPONENT_AT + GUARD_BITS))) {
		sum <<= 1;
		exponent--;
	}
	const uint64_t INFINITE = (uint64_t)EXPONENT_BITS << EXPONENT_AT;
	const uint64_t value = ((uint64_t)(exponent - 1) << EXPONENT_AT) + rounded(sum);
	return (larger & SIGN) | (value < INFINITE ? value : INFINITE);
}

double NATIVE_NUMBERS __wrap___aeabi_dadd(double one, double other)
{
	uint64_t larger = bits_of(one), smaller = bits_of(other);
	if ((larger & ~SIGN) < (smaller & ~SIGN)) {
		const uint64_t swapped = larger;
		larger = smaller;
		smaller = swapped;
	}
	const int32_t exponent = exponent_of(larger), least = exponent_of(smaller) ? exponent_of(smaller) : 1;
	if (LIKELY(exponent - least < FAR || exponent == EXPONENT_BITS))
		return __real___aeabi_dadd(one, other);
	return number_of(far_sum(larger, smaller, exponent - least));
}

double NATIVE_NUMBERS __wrap___aeabi_dsub(double one, double other) { return __wrap___aeabi_dadd(one, number_of(bits_of(other) ^ SIGN)); }
