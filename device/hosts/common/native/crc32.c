/*
 * Crc32: the reflected CRC-32 of IEEE 802.3, as in zip. Uses no operating system, since boards compile it too. The
 * host data is the checksum itself, which fits a pointer, so there is nothing to free and nothing to close.
 */
#include "crc32.h"

#include <stdbool.h>
#include <string.h>

#include "machine.h"

/* The remainder of a byte is the sum of those of its bits (addition is XOR), from the lowest bit on. */
#define ENTRY(n, a, b, c, d, e, f, g, h) \
	(((n) & 1 ? (a) : 0) ^ ((n) & 2 ? (b) : 0) ^ ((n) & 4 ? (c) : 0) ^ ((n) & 8 ? (d) : 0) \
		^ ((n) & 16 ? (e) : 0) ^ ((n) & 32 ? (f) : 0) ^ ((n) & 64 ? (g) : 0) ^ ((n) & 128 ? (h) : 0))
#define ENTRIES_4(n, ...) \
	ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__), ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES_16(n, ...) \
	ENTRIES_4(n, __VA_ARGS__), ENTRIES_4((n) + 4, __VA_ARGS__), \
	ENTRIES_4((n) + 8, __VA_ARGS__), ENTRIES_4((n) + 12, __VA_ARGS__)
#define ENTRIES_64(n, ...) \
	ENTRIES_16(n, __VA_ARGS__), ENTRIES_16((n) + 16, __VA_ARGS__), \
	ENTRIES_16((n) + 32, __VA_ARGS__), ENTRIES_16((n) + 48, __VA_ARGS__)
#define TABLE(...) \
	ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), \
	ENTRIES_64(128, __VA_ARGS__), ENTRIES_64(192, __VA_ARGS__)

/*
 * Remainders for all values of a byte that none, one, two or three bytes follow, in flash on boards: with them, four
 * bytes are added at a time, which takes little more than half the instructions of one table (1 KiB) and single bytes.
 */
static const uint32_t REMAINDERS[4][256] = {
	{ TABLE(0x77073096, 0xEE0E612C, 0x076DC419, 0x0EDB8832,
		0x1DB71064, 0x3B6E20C8, 0x76DC4190, 0xEDB88320) },
	{ TABLE(0x191B3141, 0x32366282, 0x646CC504, 0xC8D98A08,
		0x4AC21251, 0x958424A2, 0xF0794F05, 0x3B83984B) },
	{ TABLE(0x01C26A37, 0x0384D46E, 0x0709A8DC, 0x0E1351B8,
		0x1C26A370, 0x384D46E0, 0x709A8DC0, 0xE1351B80) },
	{ TABLE(0xB8BC6765, 0xAA09C88B, 0x8F629757, 0xC5B428EF,
		0x5019579F, 0xA032AF3E, 0x9B14583D, 0xED59B63B) },
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is its lowest");

static uint32_t add_bytes(uint32_t crc, const uint8_t *at, const uint8_t *end)
{
	while (at < end)
		crc = crc >> 8 ^ REMAINDERS[0][(crc ^ *at++) & 0xFF];
	return crc;
}

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length)
{
	const uint8_t *at = bytes, *end = at + length;
	size_t unaligned = -(uintptr_t)at % sizeof(uint32_t);
	const uint8_t *words = at + (unaligned < length ? unaligned : length);
	const uint8_t *tail = words + (end - words) / sizeof(uint32_t) * sizeof(uint32_t);
	crc = add_bytes(~crc, at, words);
	for (at = words; at < tail; at += sizeof(uint32_t)) {
		uint32_t word;
		memcpy(&word, __builtin_assume_aligned(at, sizeof(word)), sizeof(word));
		word ^= crc;
		crc = REMAINDERS[3][word & 0xFF] ^ REMAINDERS[2][word >> 8 & 0xFF]
			^ REMAINDERS[1][word >> 16 & 0xFF] ^ REMAINDERS[0][word >> 24];
	}
	return ~add_bytes(crc, tail, end);
}

/* x to the powers 8, 16, 32 …: what 1, 2, 4 … bytes multiply a remainder by. The highest bit is that of x to the 0. */
static const uint32_t POWERS[32] = {
	0x00800000, 0x00008000, 0xEDB88320, 0xB1E6B092, 0xA06A2517, 0xED627DAE, 0x88D14467, 0xD7BBFE6A,
	0xEC447F11, 0x8E7EA170, 0x6427800E, 0x4D47BAE0, 0x09FE548F, 0x83852D0F, 0x30362F1A, 0x7B5A9CC3,
	0x31FEC169, 0x9FEC022A, 0x6C8DEDC4, 0x15D6874D, 0x5FDE7A4E, 0xBAD90E37, 0x2E4E5EEF, 0x4EABA214,
	0xA8A472C0, 0x429A969E, 0x148D302A, 0xC40BA6D0, 0xC4E22C3C, 0x40000000, 0x20000000, 0x08000000,
};

/* The product of two polynomials, modulo that of the CRC. */
static uint32_t product(uint32_t one, uint32_t other)
{
	uint32_t sum = 0;
	for (; one; one <<= 1) {
		if (one >> 31)
			sum ^= other;
		other = other >> 1 ^ (other & 1 ? 0xEDB88320 : 0);
	}
	return sum;
}

uint32_t crc32_combine(uint32_t crc, uint32_t next, uint32_t byteLength)
{
	for (const uint32_t *power = POWERS; byteLength; byteLength >>= 1, power++) {
		if (byteLength & 1)
			crc = product(*power, crc);
	}
	return crc ^ next;
}

void xs_crc32_destructor(void *data)
{
	(void)data;
}

/* checksum(bytes): adds the bytes and returns the checksum of all bytes so far. */
void xs_crc32_checksum(xsMachine *the)
{
	uint32_t crc = (uint32_t)(uintptr_t)xsmcGetHostDataValidate(xsThis, xs_crc32_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	crc = crc32_update(crc, bytes, length);
	xsmcSetHostData(xsThis, (void *)(uintptr_t)crc);
	machine_set_number(the, &xsResult, crc);
}

static bool is_uint32(xsNumberValue value)
{
	return value >= 0 && value <= UINT32_MAX && value == (uint32_t)value;
}

/* append(checksum, byteLength): adds bytes of which the checksum is known. */
void xs_crc32_append(xsMachine *the)
{
	uint32_t crc = (uint32_t)(uintptr_t)xsmcGetHostDataValidate(xsThis, xs_crc32_destructor);
	const xsNumberValue next = xsmcToNumber(xsArg(0)), byteLength = xsmcToNumber(xsArg(1));
	if (!is_uint32(next) || !is_uint32(byteLength))
		xsRangeError("no checksum, or no number of bytes");
	crc = crc32_combine(crc, (uint32_t)next, (uint32_t)byteLength);
	xsmcSetHostData(xsThis, (void *)(uintptr_t)crc);
	machine_set_number(the, &xsResult, crc);
}
