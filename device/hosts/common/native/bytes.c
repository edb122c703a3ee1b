/*
 * Searching and copying bytes in C: XS takes about 300 instructions to compare one and 110 to copy one. Uses no
 * operating system, since boards compile it too.
 *
 * Conversions that may run a program, such as that of an object to a number, come before access to a buffer: after
 * that, the buffer neither moves nor shrinks.
 */
#include <stdint.h>
#include <string.h>

#include "xsmc.h"

enum { NONE = -1 };

/* An argument as an integer, clamped to the range of buffer lengths. */
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

/* NONE for values that no byte equals. */
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

/* A position; negative values count from the end. */
static size_t index_in(size_t length, xsIntegerValue position)
{
	if (position >= 0)
		return (size_t)position;
	size_t back = -(size_t)position;
	return back < length ? length - back : 0;
}

/* indexOf(byte, from): index of the first such byte from there on, -1 if there is none. */
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

/* set(bytes, offset): copies all bytes to the offset; both may be views of the same buffer. */
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
