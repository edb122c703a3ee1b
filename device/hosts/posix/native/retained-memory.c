/* svc/retained-memory: the program's part of the simulated RTC memory (retained.h). */
#include "machine.h"
#include "retained.h"

void xs_retained_memory_byte_length(xsMachine *the)
{
	xsmcSetInteger(xsResult, RETAINED_MEMORY_BYTES);
}

/* The place of `length` bytes at `offset`; throws where part of them would lie outside. */
static uint8_t *place_of(xsMachine *the, xsNumberValue offset, xsUnsignedValue length)
{
	// Negated so that NaN fails; subtraction, so that offset + length cannot wrap.
	if (!(offset >= 0 && offset <= RETAINED_MEMORY_BYTES) || length > RETAINED_MEMORY_BYTES - (uint32_t)offset)
		xsRangeError("outside retained memory");
	return retained_map() + RETAINED_HEADER_BYTES + (uint32_t)offset;
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
