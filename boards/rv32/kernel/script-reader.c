/*
 * Each command is a row of a table: the words of its line, of which those in capitals are placeholders
 * (script-reader.h).
 */
#include "script-reader.h"

#include <string.h>

enum { WORDS_AT_MOST = 4 };

static const struct {
	const char *words[WORDS_AT_MOST];
	CommandKind kind;
} FORMS[] = {
	{ { "step", "NAME", "COUNT" }, COMMAND_STEP },
	{ { "end" }, COMMAND_END },
	{ { "open", "NAME", "usb" }, COMMAND_PLUG },
	{ { "open", "NAME", "PORT" }, COMMAND_OPEN },
	{ { "send", "NAME", "LENGTH" }, COMMAND_SEND },
	{ { "await", "NAME", "http", "COUNT" }, COMMAND_AWAIT_HTTP },
	{ { "await", "NAME", "lines", "COUNT" }, COMMAND_AWAIT_LINES },
	{ { "await", "NAME", "frames", "COUNT" }, COMMAND_AWAIT_FRAMES },
	{ { "await", "NAME", "text", "LENGTH" }, COMMAND_AWAIT_TEXT },
	{ { "wait", "MILLISECONDS" }, COMMAND_WAIT },
	{ { "close", "NAME" }, COMMAND_CLOSE },
};
enum { FORM_COUNT = sizeof(FORMS) / sizeof(FORMS[0]) };

typedef struct {
	Text words[WORDS_AT_MOST];
	int count;
} Words;

static Text text_from(Text text, size_t start)
{
	return (Text){ text.bytes + start, text.length - start };
}

bool text_equals(Text text, Text other)
{
	return text.length == other.length && memcmp(text.bytes, other.bytes, text.length) == 0;
}

static bool is_word(Text text, const char *word)
{
	return text_equals(text, (Text){ word, strlen(word) });
}

ScriptReader script_reader(Text script)
{
	return (ScriptReader){ .rest = script, .lineNumber = 1 };
}

/*
 * Moves the reader past the newline.
 * @returns false if there is none
 */
static bool take_line(ScriptReader *reader, Text *line)
{
	const char *end = memchr(reader->rest.bytes, '\n', reader->rest.length);
	*line = (Text){ reader->rest.bytes, end ? (size_t)(end - reader->rest.bytes) : reader->rest.length };
	reader->rest = text_from(reader->rest, line->length + (end ? 1 : 0));
	reader->lineNumber += end ? 1 : 0;
	return end;
}

/* @returns false if there are too many words, an empty word, or characters other than visible ASCII */
static bool split(Text line, Words *words)
{
	words->count = 0;
	for (size_t start = 0, at = 0; at <= line.length; at++) {
		if (at < line.length && line.bytes[at] != ' ') {
			if (line.bytes[at] < '!' || line.bytes[at] > '~')
				return false;
			continue;
		}
		if (at == start || words->count == WORDS_AT_MOST)
			return false;
		words->words[words->count++] = (Text){ line.bytes + start, at - start };
		start = at + 1;
	}
	return true;
}

static bool is_operand(const char *word)
{
	return *word >= 'A' && *word <= 'Z';
}

static bool has_form(const Words *words, const char *const *form)
{
	for (int index = 0; index < WORDS_AT_MOST; index++) {
		if ((index < words->count) != (form[index] != NULL))
			return false;
		if (form[index] && !is_operand(form[index]) && !is_word(words->words[index], form[index]))
			return false;
	}
	return true;
}

/* @returns -1 if there is none */
static int find_form(const Words *words)
{
	for (int index = 0; index < FORM_COUNT; index++) {
		if (has_form(words, FORMS[index].words))
			return index;
	}
	return -1;
}

static bool read_number(Text digits, uint32_t *number)
{
	enum { DIGITS_AT_MOST = 9 };		/* always fit */
	*number = 0;
	for (size_t index = 0; index < digits.length; index++) {
		if (digits.bytes[index] < '0' || digits.bytes[index] > '9')
			return false;
		*number = 10 * *number + (uint32_t)(digits.bytes[index] - '0');
	}
	return digits.length <= DIGITS_AT_MOST;
}

/* The bytes after the line, and the newline after them, which is not counted. */
static const char *take_bytes(ScriptReader *reader, Command *command)
{
	const size_t length = command->number;
	if (length >= reader->rest.length)
		return "the script ends before its bytes do";
	if (reader->rest.bytes[length] != '\n')
		return "its bytes do not end where they should: no newline follows";
	command->bytes = (Text){ reader->rest.bytes, length };
	for (size_t index = 0; index <= length; index++)
		reader->lineNumber += reader->rest.bytes[index] == '\n';
	reader->rest = text_from(reader->rest, length + 1);
	return NULL;
}

static const char *read_operand(const char *operand, Text word, ScriptReader *reader, Command *command)
{
	if (strcmp(operand, "NAME") == 0) {
		command->name = word;
		return word.length <= NAME_LIMIT_BYTES ? NULL : "its name is too long";
	}
	if (!read_number(word, &command->number))
		return "what should be a number is none of up to nine digits";
	if (strcmp(operand, "COUNT") == 0 && command->number == 0)
		return "its count is 0";
	if (strcmp(operand, "PORT") == 0 && (command->number == 0 || command->number > 65535))
		return "its port is none of 1 to 65535";
	return strcmp(operand, "LENGTH") == 0 ? take_bytes(reader, command) : NULL;
}

const char *script_reader_next(ScriptReader *reader, Command *command)
{
	Words words;
	*command = (Command){ .lineNumber = reader->lineNumber };
	if (!take_line(reader, &command->line))
		return "the script ends before this line does";
	int form = split(command->line, &words) ? find_form(&words) : -1;
	if (form < 0)
		return "this is not a command";
	command->kind = FORMS[form].kind;
	const char *problem = NULL;
	for (int index = 0; index < words.count && !problem; index++) {
		if (is_operand(FORMS[form].words[index]))
			problem = read_operand(FORMS[form].words[index], words.words[index], reader, command);
	}
	return problem;
}
