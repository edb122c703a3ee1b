/* Strict Base64 (RFC 4648 §4). Uses no operating system, since boards compile it too. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "xsmc.h"

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The reversed alphabet. Bit 6 marks characters outside the alphabet, so that four characters can be tested at once. */
enum { NO = 0x40 };
static const uint8_t DIGITS[256] = {
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 62, NO, NO, NO, 63,
	52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO,
	NO,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, NO,
	NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
};

/* 1 to 3 bytes to four characters. */
static void encode_group(char *text, const uint8_t *bytes, size_t count)
{
	uint32_t bits = bytes[0] << 16 | (count > 1 ? bytes[1] << 8 : 0) | (count > 2 ? bytes[2] : 0);
	text[0] = ALPHABET[bits >> 18];
	text[1] = ALPHABET[bits >> 12 & 0x3F];
	text[2] = count > 1 ? ALPHABET[bits >> 6 & 0x3F] : '=';
	text[3] = count > 2 ? ALPHABET[bits & 0x3F] : '=';
}

/* The 24 bits that four characters encode; NO_BITS if one is outside the alphabet. */
enum { NO_BITS = -1 };
static int32_t bits_of(const char *characters)
{
	const uint8_t *text = (const uint8_t *)characters;
	uint32_t a = DIGITS[text[0]], b = DIGITS[text[1]], c = DIGITS[text[2]], d = DIGITS[text[3]];
	return (a | b | c | d) & NO ? NO_BITS : (int32_t)(a << 18 | b << 12 | c << 6 | d);
}

/* Characters without padding: four for every three bytes. */
static bool decode_groups(uint8_t *bytes, const char *text, const char *end)
{
	for (; text < end; text += 4, bytes += 3) {
		int32_t bits = bits_of(text);
		if (bits == NO_BITS)
			return false;
		bytes[0] = bits >> 16;
		bytes[1] = bits >> 8 & 0xFF;
		bytes[2] = bits & 0xFF;
	}
	return true;
}

/*
 * The last four characters, some of which are padding. Also false if a bit after the last byte is set (RFC 4648 §3.5):
 * each text has only one encoding.
 */
static bool decode_padded(uint8_t *bytes, const char *text, size_t padding)
{
	const char group[4] = { text[0], text[1], padding < 2 ? text[2] : 'A', 'A' };
	int32_t bits = bits_of(group);
	if (bits == NO_BITS || bits & ((1 << 8 * padding) - 1))
		return false;
	bytes[0] = bits >> 16;
	if (padding < 2)
		bytes[1] = bits >> 8 & 0xFF;
	return true;
}

static size_t padding_of(const char *text, size_t length)
{
	if (length == 0 || text[length - 1] != '=')
		return 0;
	return text[length - 2] == '=' ? 2 : 1;
}

static bool decode(uint8_t *bytes, const char *text, size_t length, size_t padding)
{
	size_t whole = padding > 0 ? length - 4 : length;
	return decode_groups(bytes, text, text + whole)
		&& (padding == 0 || decode_padded(bytes + whole / 4 * 3, text + whole, padding));
}

/* encode(bytes): the text, padded, in one line. */
void xs_base64_encode(xsMachine *the)
{
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &data, &length);
	uint64_t textLength = ((uint64_t)length + 2) / 3 * 4;
	if (textLength >= INT32_MAX)
		xsRangeError("cannot encode more than 1.5 GiB");
	xsmcSetStringBuffer(xsResult, NULL, (xsIntegerValue)textLength);
	xsmcGetBufferReadable(xsArg(0), &data, &length);		// again: allocating the string may have moved the chunk
	const uint8_t *bytes = data;
	char *text = xsmcToString(xsResult);
	for (size_t at = 0; at < length; at += 3, text += 4)
		encode_group(text, bytes + at, length - at);
}

/* decode(text): the bytes in an ArrayBuffer. XS terminates strings with NUL and stores U+0000 otherwise. */
void xs_base64_decode(xsMachine *the)
{
	if (xsmcTypeOf(xsArg(0)) != xsStringType && xsmcTypeOf(xsArg(0)) != xsStringXType)
		xsTypeError("base64 is text");
	const char *text = xsmcToString(xsArg(0));
	size_t length = strlen(text);
	if (length % 4 != 0)
		xsSyntaxError("cannot decode what is not base64");
	size_t padding = padding_of(text, length);
	xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)(length / 4 * 3 - padding));
	uint8_t *bytes = xsmcToArrayBuffer(xsResult);
	if (!decode(bytes, xsmcToString(xsArg(0)), length, padding))		// again: allocating the buffer may have moved it
		xsSyntaxError("cannot decode what is not base64");
}
