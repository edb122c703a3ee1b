/*
 * svc/retained-memory: slow memory of the real-time clock, which a reset by software, a crash and the watchdog leave
 * alone. There are 8 KiB of it, of which ESP-IDF and start.c need some.
 */
#include <string.h>

#include "esp_attr.h"
#include "machine.h"

enum { RETAINED_BYTES = 7 * 1024 };

static RTC_NOINIT_ATTR uint8_t retained[RETAINED_BYTES];

void xs_retained_memory_byte_length(xsMachine *the)
{
	xsmcSetInteger(xsResult, RETAINED_BYTES);
}

/* The place of `length` bytes at `offset`; throws where part of them would lie outside. */
static uint8_t *place_of(xsMachine *the, xsNumberValue offset, xsUnsignedValue length)
{
	// Negated so that NaN fails; subtraction, so that offset + length cannot wrap.
	if (!(offset >= 0 && offset <= RETAINED_BYTES) || length > RETAINED_BYTES - (uint32_t)offset)
		xsRangeError("outside retained memory");
	return retained + (uint32_t)offset;
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
