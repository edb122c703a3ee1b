/*
 * svc/random, from a generator with a fixed seed (random.h), which takes about as many instructions as reading the
 * chip's.
 */
#include "random.h"

#include "machine.h"

/* xorshift32 (Marsaglia 2003): every number except zero, once in 2^32 - 1. */
static uint32_t next_number(void)
{
	static uint32_t number = 0x9E3779B9;
	number ^= number << 13;
	number ^= number >> 17;
	number ^= number << 5;
	return number;
}

void random_fill(void *bytes, size_t length)
{
	uint8_t *at = bytes;
	while (length > 0) {
		uint32_t number = next_number();
		size_t count = length < sizeof(number) ? length : sizeof(number);
		memcpy(at, &number, count);
		at += count;
		length -= count;
	}
}

/* getRandomValues(into): fills and returns it. */
void xs_random_get_random_values(xsMachine *the)
{
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &data, &length);
	random_fill(data, length);
	xsResult = xsArg(0);
}
