/* svc/retained-memory (device/ports/retained-memory.ts), over the host's retained-bytes.h. */
#include <string.h>

#include "machine.h"
#include "retained-bytes.h"

void xs_retained_memory_byte_length(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)retained_byte_length());
}

/* The address of `length` bytes at `offset`; throws if they do not fit. */
static uint8_t *place_of(xsMachine *the, xsNumberValue offset, xsUnsignedValue length)
{
	const uint32_t end = retained_byte_length();
	// Negated so that NaN fails; subtraction, so that offset + length cannot wrap.
	if (!(offset >= 0 && offset <= end) || length > end - (uint32_t)offset)
		xsRangeError("outside retained memory");
	return retained_bytes() + (uint32_t)offset;
}

/* read(into, offset) */
void xs_retained_memory_read(xsMachine *the)
{
	xsNumberValue offset = xsmcToNumber(xsArg(1));
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	memcpy(into, place_of(the, offset, length), length);
}

/* write(bytes, offset) */
void xs_retained_memory_write(xsMachine *the)
{
	xsNumberValue offset = xsmcToNumber(xsArg(1));
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	memcpy(place_of(the, offset, length), bytes, length);
}
