/* Scans one item at a time, from the start whenever more bytes arrive (awaited.h): its cost counts in no step. */
#include "awaited.h"

#include <string.h>
#include <strings.h>

typedef struct {
	const uint8_t *bytes;
	size_t length;
} Span;

static const AwaitedLength NOT_YET = -1;

static Span span_from(Span span, size_t start)
{
	return (Span){ span.bytes + start, span.length - start };
}

/* Length of the first line, including its newline. */
static AwaitedLength line_length(Span said)
{
	const uint8_t *end = said.length > 0 ? memchr(said.bytes, '\n', said.length) : NULL;
	return end ? end + 1 - said.bytes : NOT_YET;
}

AwaitedLength awaited_lines(const uint8_t *said, size_t length, uint32_t count)
{
	size_t at = 0;
	for (; count > 0; count--) {
		AwaitedLength line = line_length((Span){ said + at, length - at });
		if (line == NOT_YET)
			return NOT_YET;
		at += line;
	}
	return at;
}

AwaitedLength awaited_text(const uint8_t *said, size_t length, const uint8_t *text, size_t textLength)
{
	for (size_t at = 0; at + textLength <= length; at++) {
		if (memcmp(said + at, text, textLength) == 0)
			return at + textLength;
	}
	return NOT_YET;
}

static uint64_t read_big_endian(const uint8_t *bytes, size_t count)
{
	uint64_t number = 0;
	for (size_t index = 0; index < count; index++)
		number = number << 8 | bytes[index];
	return number;
}

static AwaitedLength frame_length(Span said)
{
	if (said.length < 2)
		return NOT_YET;
	bool isMasked = said.bytes[1] & 0x80;
	uint64_t payload = said.bytes[1] & 0x7f;
	size_t extended = payload == 126 ? 2 : payload == 127 ? 8 : 0;
	size_t head = 2 + extended + (isMasked ? 4 : 0);
	if (said.length < head)
		return NOT_YET;
	if (extended)
		payload = read_big_endian(said.bytes + 2, extended);
	return payload <= said.length - head ? (AwaitedLength)(head + payload) : NOT_YET;
}

AwaitedLength awaited_frames(const uint8_t *said, size_t length, uint32_t count)
{
	size_t at = 0;
	for (; count > 0; count--) {
		AwaitedLength frame = frame_length((Span){ said + at, length - at });
		if (frame == NOT_YET)
			return NOT_YET;
		at += frame;
	}
	return at;
}

/* Length of a head, including its empty line. */
static AwaitedLength head_length(Span said)
{
	static const uint8_t END[] = { '\r', '\n', '\r', '\n' };
	return awaited_text(said.bytes, said.length, END, sizeof(END));
}

/*
 * The rest of the line after `name` and its colon in a head.
 * @returns whether the field exists
 */
static bool find_field(Span head, const char *name, Span *value)
{
	const size_t nameLength = strlen(name);
	for (AwaitedLength line; (line = line_length(head)) != NOT_YET; head = span_from(head, line)) {
		const char *text = (const char *)head.bytes;
		if ((size_t)line <= nameLength || text[nameLength] != ':' || strncasecmp(text, name, nameLength) != 0)
			continue;
		*value = span_from((Span){ head.bytes, line }, nameLength + 1);
		while (value->length > 0 && *value->bytes == ' ')
			*value = span_from(*value, 1);
		return true;
	}
	return false;
}

/* For a base up to 16; a larger result is not a digit of the base. */
static unsigned int digit_of(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;		// converts letters to lower case
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10u : 16u;
}

/* Reads digits up to another character; 0 if there are none. */
static uint64_t read_number(Span text, unsigned int base)
{
	uint64_t number = 0;
	for (; text.length > 0 && digit_of(*text.bytes) < base; text = span_from(text, 1))
		number = base * number + digit_of(*text.bytes);
	return number;
}

static AwaitedLength chunked_length(Span body)
{
	size_t at = 0;
	bool isLast = false;
	while (!isLast) {
		AwaitedLength line = line_length(span_from(body, at));
		if (line == NOT_YET)
			return NOT_YET;
		uint64_t size = read_number(span_from(body, at), 16);
		at += line;
		isLast = size == 0;
		if (!isLast && (size > body.length - at || body.length - at - size < 2))
			return NOT_YET;
		at += isLast ? 0 : size + 2;
	}
	for (AwaitedLength line = 0; line != 2; at += line) {		// the trailer, including its empty line
		line = line_length(span_from(body, at));
		if (line == NOT_YET)
			return NOT_YET;
	}
	return at;
}

static AwaitedLength body_length(Span head, Span body, uint64_t status, bool hasEnded)
{
	Span value;
	if (status < 200 || status == 204 || status == 304)
		return 0;
	if (find_field(head, "Transfer-Encoding", &value))
		return chunked_length(body);
	if (find_field(head, "Content-Length", &value)) {
		uint64_t length = read_number(value, 10);
		return length <= body.length ? (AwaitedLength)length : NOT_YET;
	}
	return hasEnded ? (AwaitedLength)body.length : NOT_YET;
}

/* @param status of this response */
static AwaitedLength response_length(Span said, bool hasEnded, uint64_t *status)
{
	enum { STATUS_AT = 9 };		/* after "HTTP/1.1 " */
	AwaitedLength headLength = head_length(said);
	if (headLength < STATUS_AT)
		return NOT_YET;
	const Span head = { said.bytes, headLength };
	*status = read_number(span_from(head, STATUS_AT), 10);
	AwaitedLength bodyLength = body_length(head, span_from(said, headLength), *status, hasEnded);
	return bodyLength == NOT_YET ? NOT_YET : headLength + bodyLength;
}

AwaitedLength awaited_responses(const uint8_t *said, size_t length, bool hasEnded, uint32_t count)
{
	enum { SWITCHING_PROTOCOLS = 101 };
	size_t at = 0;
	while (count > 0) {
		uint64_t status;
		AwaitedLength response = response_length((Span){ said + at, length - at }, hasEnded, &status);
		if (response == NOT_YET)
			return NOT_YET;
		at += response;
		if (status >= 200 || status == SWITCHING_PROTOCOLS)
			count--;
	}
	return at;
}
