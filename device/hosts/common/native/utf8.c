/* Well-formed sequences and plain runs (utf8.h). */
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

/* Length of a sequence that begins with `first`; 0 if none does (RFC 3629 §4). */
static int length_of(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xC2)
		return 0;
	if (first < 0xE0)
		return 2;
	if (first < 0xF0)
		return 3;
	return first < 0xF5 ? 4 : 0;
}

/* The second byte alone distinguishes overlong forms, surrogates and code points past U+10FFFF from the rest. */
static bool may_follow(uint8_t first, uint8_t second)
{
	uint8_t lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
	uint8_t highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
	return second >= lowest && second <= highest;
}

static bool is_continuation(uint8_t byte)
{
	return (byte & 0xC0) == 0x80;
}

int utf8_sequence(const uint8_t *bytes, const uint8_t *end)
{
	int length = length_of(bytes[0]);
	if (length == 0)
		return -1;
	for (int index = 1; index < length; index++) {
		if (bytes + index == end)
			return -index;
		if (index == 1 ? !may_follow(bytes[0], bytes[1]) : !is_continuation(bytes[index]))
			return -index;
	}
	return length;
}

static bool is_plain(uint8_t byte)
{
	return byte > 0 && byte < 0x80;
}

/*
 * Number of bytes from `bytes` on that are ASCII other than NUL: compares words, and single bytes up to the first
 * aligned word.
 */
static size_t plain_run(const uint8_t *bytes, const uint8_t *end)
{
	const size_t ones = ~(size_t)0 / 0xFF;		// 0x01 in each byte
	const size_t high = ones * 0x80;
	const uint8_t *at = bytes;
	while (at < end && (uintptr_t)at % sizeof(size_t) != 0 && is_plain(*at))
		at++;
	if ((uintptr_t)at % sizeof(size_t) != 0)
		return at - bytes;
	// Subtracting 1 from each byte sets the high bit of bytes that are 0 or over 0x80.
	for (size_t word; (size_t)(end - at) >= sizeof(word); at += sizeof(word)) {
		// A single load, also on chips that cannot load unaligned words.
		memcpy(&word, __builtin_assume_aligned(at, sizeof(word)), sizeof(word));
		if (((word - ones) | word) & high)
			break;
	}
	while (at < end && is_plain(*at))
		at++;
	return at - bytes;
}

size_t utf8_well_formed_run(const uint8_t *bytes, const uint8_t *end)
{
	const uint8_t *at = bytes + plain_run(bytes, end);
	while (at < end && *at != 0) {
		int length = utf8_sequence(at, end);
		if (length < 0)
			break;
		at += length;
		if (at < end && *at < 0x80)
			at += plain_run(at, end);
	}
	return at - bytes;
}
