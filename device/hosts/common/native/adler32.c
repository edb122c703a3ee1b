/*
 * svc/adler32: the checksum of zlib (RFC 1950 §8.2). Uses no operating system, since boards compile it too. As in
 * crc32.c, the host data is the checksum itself.
 */
#include <stdint.h>

#include "machine.h"

static const uint32_t MODULUS = 65521;

/* With this many bytes of 255, both sums stay within 32 bits (RFC 1950 §9: 5552). */
enum { BYTES_BETWEEN_DIVISIONS = 5552 };

static uint32_t update(uint32_t adler, const uint8_t *bytes, size_t length)
{
	uint32_t sum = adler & 0xFFFF, sumOfSums = adler >> 16;
	while (length > 0) {
		size_t count = length < BYTES_BETWEEN_DIVISIONS ? length : BYTES_BETWEEN_DIVISIONS;
		length -= count;
		for (const uint8_t *end = bytes + count; bytes < end; bytes++)
			sumOfSums += sum += *bytes;
		sum %= MODULUS;
		sumOfSums %= MODULUS;
	}
	return sumOfSums << 16 | sum;
}

void xs_adler32_destructor(void *data)
{
	(void)data;
}

/* The checksum of no bytes is 1. */
void xs_adler32_constructor(xsMachine *the)
{
	xsmcSetHostData(xsThis, (void *)(uintptr_t)1);
}

/* checksum(bytes): adds the bytes and returns the checksum of all bytes so far. */
void xs_adler32_checksum(xsMachine *the)
{
	uint32_t adler = (uint32_t)(uintptr_t)xsmcGetHostDataValidate(xsThis, xs_adler32_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	adler = update(adler, bytes, length);
	xsmcSetHostData(xsThis, (void *)(uintptr_t)adler);
	machine_set_number(the, &xsResult, adler);
}
