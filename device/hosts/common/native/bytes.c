/*
 * Searching and copying bytes, for which XS takes them one by one: some 300 instructions to look at one, and 110 to
 * copy it. Compiled for boards too: nothing of an operating system in here.
 *
 * Whatever may run a program, as making a number of an object does, comes before a buffer is looked at: from then on
 * it neither moves nor becomes shorter.
 */
#include <stdint.h>
#include <string.h>

#include "xsmc.h"

enum { NONE = -1 };

/* An argument as a whole number; one that no buffer is long enough for is cut off. */
static xsIntegerValue integer_of(xsMachine *the, xsSlot *value)
{
	if (xsmcTypeOf(*value) == xsIntegerType)
		return xsmcToInteger(*value);
	xsNumberValue number = xsmcToNumber(*value);
	if (number >= INT32_MAX)
		return INT32_MAX;
	if (number <= INT32_MIN)
		return INT32_MIN;
	return number == number ? (xsIntegerValue)number : 0;
}

/* NONE for what no byte is equal to. */
static xsIntegerValue byte_of(xsMachine *the, xsSlot *value)
{
	xsType type = xsmcTypeOf(*value);
	if (type != xsIntegerType && type != xsNumberType)
		return NONE;
	xsIntegerValue byte = integer_of(the, value);
	if (type == xsNumberType && byte != xsmcToNumber(*value))
		return NONE;
	return byte >= 0 && byte <= UINT8_MAX ? byte : NONE;
}

/* A position, which is from the end where it is negative. */
static size_t index_in(size_t length, xsIntegerValue position)
{
	if (position >= 0)
		return (size_t)position;
	size_t back = -(size_t)position;
	return back < length ? length - back : 0;
}

/* indexOf(byte, from): where the first such byte is from there on, -1 where there is none. */
void xs_bytes_index_of(xsMachine *the)
{
	xsIntegerValue byte = xsmcArgc > 0 ? byte_of(the, &xsArg(0)) : NONE;
	xsIntegerValue from = xsmcArgc > 1 ? integer_of(the, &xsArg(1)) : 0;
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsThis, &data, &length);
	const uint8_t *bytes = data;
	size_t start = index_in(length, from);
	const uint8_t *found = byte != NONE && start < length ? memchr(bytes + start, byte, length - start) : NULL;
	xsmcSetInteger(xsResult, found ? (xsIntegerValue)(found - bytes) : NONE);
}

/* set(bytes, offset): copies all of them to there; both may be of one buffer. */
void xs_bytes_set(xsMachine *the)
{
	xsIntegerValue offset = integer_of(the, &xsArg(1));
	void *from, *into;
	xsUnsignedValue length, room;
	xsmcGetBufferReadable(xsArg(0), &from, &length);
	xsmcGetBufferWritable(xsThis, &into, &room);
	if (offset < 0 || (xsUnsignedValue)offset > room || length > room - (xsUnsignedValue)offset)
		xsRangeError("cannot copy %u bytes to %d of %u", (unsigned)length, (int)offset, (unsigned)room);
	memmove((uint8_t *)into + offset, from, length);
}
