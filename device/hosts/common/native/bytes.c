/*
 * Searching and copying bytes in C, and their hexadecimal digits: XS takes about 300 instructions to compare a byte, 110
 * to copy one, and 4,400 for its two digits. Uses no operating system, since boards compile it too.
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

/* toHex(): two lower-case digits for each byte. */
void xs_bytes_to_hex(xsMachine *the)
{
	static const char DIGITS[] = "0123456789abcdef";
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsThis, &data, &length);
	if (length >= INT32_MAX / 2)
		xsRangeError("cannot write the digits of more than 1 GiB");
	xsmcSetStringBuffer(xsResult, NULL, (xsIntegerValue)(2 * length));
	xsmcGetBufferReadable(xsThis, &data, &length);		// again: allocating the string may have moved the chunk
	char *text = xsmcToString(xsResult);
	for (const uint8_t *byte = data, *end = byte + length; byte < end; byte++) {
		*text++ = DIGITS[*byte >> 4];
		*text++ = DIGITS[*byte & 0xF];
	}
}

static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	const char lower = character | 0x20;
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : NONE;
}

/* fromHex(text): an ArrayBuffer with a byte for every two digits. */
void xs_bytes_from_hex(xsMachine *the)
{
	const xsType type = xsmcTypeOf(xsArg(0));
	if (type != xsStringType && type != xsStringXType)
		xsTypeError("no text");
	const size_t length = strlen(xsmcToString(xsArg(0)));
	if (length % 2 != 0)
		xsSyntaxError("a digit is missing");
	xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)(length / 2));
	uint8_t *byte = xsmcToArrayBuffer(xsResult);
	const char *text = xsmcToString(xsArg(0));
	for (const char *end = text + length; text < end; text += 2) {
		const int high = digit_of(text[0]), low = digit_of(text[1]);
		if (high == NONE || low == NONE)
			xsSyntaxError("no hexadecimal digit");
		*byte++ = (uint8_t)(high << 4 | low);
	}
}
