/*
 * TextEncoder and TextDecoder. XS keeps strings as NUL-terminated UTF-8, in which U+0000 is C0 80 and a lone surrogate
 * is a sequence of three bytes; a pair joined from two halves stays two sequences.
 */
#include <string.h>

#include "machine.h"
#include "utf8.h"

#if mxCESU8
	#error "text.c reads and writes strings in UTF-8"
#endif

static const char REPLACEMENT[] = "\xEF\xBF\xBD";
static const char MARK[] = "\xEF\xBB\xBF";
enum { REPLACEMENT_BYTES = sizeof(REPLACEMENT) - 1, MARK_BYTES = sizeof(MARK) - 1 };

/* The decoding of one piece of input: a run of well-formed sequences, NUL or a malformed part. */
typedef struct {
	const char *text;		/* the decoded text */
	size_t textLength;
	size_t taken;			/* bytes of input */
	bool isMalformed;
} Piece;

static Piece next_piece(const uint8_t *bytes, const uint8_t *end)
{
	size_t run = utf8_well_formed_run(bytes, end);
	if (run > 0)
		return (Piece){ (const char *)bytes, run, run, false };
	if (*bytes == 0)
		return (Piece){ "\xC0\x80", 2, 1, false };
	return (Piece){ REPLACEMENT, REPLACEMENT_BYTES, -utf8_sequence(bytes, end), true };
}

typedef struct {
	size_t length;			/* of the decoded text in bytes, NULs and replacements included */
	bool isVerbatim;		/* the text equals the input, byte for byte */
} Measure;

static Measure measure(xsMachine *the, const uint8_t *bytes, const uint8_t *end, bool isFatal)
{
	Measure result = { 0, true };
	while (bytes < end) {
		Piece piece = next_piece(bytes, end);
		if (piece.isMalformed && isFatal)
			xsTypeError("cannot decode what is not UTF-8");
		result.length += piece.textLength;
		result.isVerbatim &= piece.text == (const char *)bytes;
		bytes += piece.taken;
	}
	if (result.length >= INT32_MAX)
		xsRangeError("cannot decode text of more than 2 GiB");
	return result;
}

static void write_pieces(char *text, Measure measure, const uint8_t *bytes, const uint8_t *end)
{
	if (measure.isVerbatim) {
		memcpy(text, bytes, measure.length);
		return;
	}
	while (bytes < end) {
		Piece piece = next_piece(bytes, end);
		memcpy(text, piece.text, piece.textLength);
		text += piece.textLength;
		bytes += piece.taken;
	}
}

/* The start of the text: after the byte order mark, unless it is kept. */
static const uint8_t *skip_mark(const uint8_t *bytes, const uint8_t *end, bool keepsMark)
{
	bool isMarked = end - bytes >= MARK_BYTES && memcmp(bytes, MARK, MARK_BYTES) == 0;
	return isMarked && !keepsMark ? bytes + MARK_BYTES : bytes;
}

/* decode(bytes, isFatal, keepsMark): the text, with U+FFFD for malformed parts unless these are fatal. */
void xs_text_decode(xsMachine *the)
{
	bool isFatal = xsmcTest(xsArg(1));
	bool keepsMark = xsmcTest(xsArg(2));
	void *data;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &data, &length);
	const uint8_t *end = (const uint8_t *)data + length;
	const uint8_t *bytes = skip_mark(data, end, keepsMark);
	Measure measured = measure(the, bytes, end, isFatal);
	xsmcSetStringBuffer(xsResult, NULL, (xsIntegerValue)measured.length);
	xsmcGetBufferReadable(xsArg(0), &data, &length);		// again: allocating the string may have moved the chunk
	end = (const uint8_t *)data + length;
	write_pieces(xsmcToString(xsResult), measured, skip_mark(data, end, keepsMark), end);
}

/* A code unit that XS stored as a sequence of three bytes; 0 unless it is a surrogate. */
static uint32_t surrogate_at(const uint8_t *text)
{
	if (text[0] != 0xED || text[1] < 0xA0)
		return 0;
	return 0xD000 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F);
}

/* One character as XS stores it and in UTF-8, which is never longer. */
typedef struct {
	uint8_t bytes[4];
	size_t length;
	size_t taken;			/* bytes of the string */
	size_t units;			/* its share of the string's `length` */
} Character;

static Character pair_of(uint32_t high, uint32_t low)
{
	uint32_t scalar = 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
	return (Character){
		{ 0xF0 | scalar >> 18, 0x80 | (scalar >> 12 & 0x3F), 0x80 | (scalar >> 6 & 0x3F), 0x80 | (scalar & 0x3F) },
		.length = 4, .taken = 6, .units = 2,
	};
}

static Character surrogate(const uint8_t *text, uint32_t unit)
{
	uint32_t next = unit < 0xDC00 ? surrogate_at(text + 3) : 0;
	if (next >= 0xDC00)
		return pair_of(unit, next);
	Character result = { .length = REPLACEMENT_BYTES, .taken = 3, .units = 1 };
	memcpy(result.bytes, REPLACEMENT, REPLACEMENT_BYTES);
	return result;
}

static Character character_at(const uint8_t *text)
{
	if (text[0] == 0xC0)
		return (Character){ { 0 }, .length = 1, .taken = 2, .units = 1 };
	uint32_t unit = surrogate_at(text);
	if (unit)
		return surrogate(text, unit);
	size_t length = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
	Character result = { .length = length, .taken = length, .units = 1 };
	memcpy(result.bytes, text, length);
	return result;
}

typedef struct {
	size_t read;			/* in units of the string's `length` */
	size_t written;			/* bytes */
} Encoded;

static Encoded encode_characters(uint8_t *into, size_t capacity, const uint8_t *text)
{
	Encoded result = { 0, 0 };
	while (*text) {
		Character character = character_at(text);
		if (character.length > capacity - result.written)
			break;
		memcpy(into + result.written, character.bytes, character.length);
		result.written += character.length;
		result.read += character.units;
		text += character.taken;
	}
	return result;
}

static size_t count_units(const uint8_t *text, size_t length)
{
	size_t count = 0;
	for (size_t index = 0; index < length; index++)
		count += (text[index] & 0xC0) != 0x80;
	return count;
}

/* Encodes as many whole characters of `text` as fit; in one copy if XS stores it as UTF-8. */
static Encoded encode(uint8_t *into, size_t capacity, const char *text, size_t length)
{
	bool isUtf8 = !memchr(text, 0xC0, length) && !memchr(text, 0xED, length);
	if (!isUtf8 || length > capacity)
		return encode_characters(into, capacity, (const uint8_t *)text);
	memcpy(into, text, length);
	return (Encoded){ count_units(into, length), length };
}

/* encode(text): UTF-8 in an ArrayBuffer. */
void xs_text_encode(xsMachine *the)
{
	size_t length = strlen(xsmcToString(xsArg(0)));
	xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)length);
	uint8_t *into = xsmcToArrayBuffer(xsResult);
	// The string is fetched again: the buffer may have moved it.
	Encoded encoded = encode(into, length, xsmcToString(xsArg(0)), length);
	if (encoded.written < length)
		xsmcSetArrayBufferLength(xsResult, (xsIntegerValue)encoded.written);
}

/* encodeInto(text, into): as many characters as fit; returns { read, written }. */
void xs_text_encode_into(xsMachine *the)
{
	void *into;
	xsUnsignedValue capacity;
	const char *text = xsmcToString(xsArg(0));
	xsmcGetBufferWritable(xsArg(1), &into, &capacity);
	Encoded encoded = encode(into, capacity, text, strlen(text));
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	xsmcSetInteger(xsVar(0), (xsIntegerValue)encoded.read);
	xsmcSet(xsResult, xsID("read"), xsVar(0));
	xsmcSetInteger(xsVar(0), (xsIntegerValue)encoded.written);
	xsmcSet(xsResult, xsID("written"), xsVar(0));
}
