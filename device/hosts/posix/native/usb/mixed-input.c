/* The half line of a host that has left (mixed-input.h). */
#include "mixed-input.h"

#include <string.h>

static bool is_blank(const uint8_t *text, size_t length)
{
	size_t at = 0;
	while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
		at++;
	return at == length;
}

/* Outside strings: punctuation, numbers and literals. */
static const char TOKENS[] = "{}[]:,+-.0123456789Eaeflnrstu \t\r";

/* The console checks the rest. A string that was cut turns the next host's inside out: then names are no tokens. */
static bool is_object(const uint8_t *text, size_t length)
{
	size_t depth = 0;
	bool isString = false;
	for (size_t at = 0; at < length; at++) {
		if (text[at] == '"')
			isString = !isString;
		else if (isString)
			at += text[at] == '\\';
		else if (!memchr(TOKENS, text[at], sizeof(TOKENS) - 1))
			return false;
		else if (text[at] == '{')
			depth++;
		else if (text[at] == '}' && --depth == 0)
			return is_blank(text + at + 1, length - at - 1);
	}
	return false;
}

/* @returns the length of what precedes the object at the end of the line; that of the whole line if there is none */
static size_t half_line_length(const uint8_t *line, size_t length)
{
	const uint8_t *brace = memchr(line, '{', length);
	while (brace && !is_object(brace, length - (brace - line)))
		brace = memchr(brace + 1, '{', length - (brace + 1 - line));
	return brace ? (size_t)(brace - line) : length;
}

static void remove_bytes(MixedInput *input, size_t at, size_t count)
{
	input->length -= count;
	memmove(input->bytes + at, input->bytes + at + count, input->length - at);
}

bool mixed_input_settle(MixedInput *input)
{
	for (;;) {
		uint8_t *line = input->bytes + input->checked;
		const uint8_t *end = memchr(line, '\n', input->length - input->checked);
		if (!end)
			return input->length == MIXED_INPUT_BYTES;
		const size_t length = end - line;
		const size_t half = half_line_length(line, length);
		remove_bytes(input, input->checked, half);
		input->checked += length - half + 1;
		if (length + 1 >= input->mixed)
			return true;
		input->mixed -= length + 1;
	}
}
