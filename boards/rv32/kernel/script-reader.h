/* Reads the commands of a script in order (script.h). Strict: one space between words, decimal digits only. */
#ifndef SVC_SCRIPT_READER_H
#define SVC_SCRIPT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the script; not terminated. */
typedef struct {
	const char *bytes;
	size_t length;
} Text;

typedef enum {
	COMMAND_STEP,
	COMMAND_END,
	COMMAND_OPEN,
	COMMAND_PLUG,
	COMMAND_SEND,
	COMMAND_AWAIT_HTTP,
	COMMAND_AWAIT_LINES,
	COMMAND_AWAIT_FRAMES,
	COMMAND_AWAIT_TEXT,
	COMMAND_WAIT,
	COMMAND_CLOSE,
} CommandKind;

enum { NAME_LIMIT_BYTES = 31 };

typedef struct {
	CommandKind kind;
	unsigned int lineNumber;
	Text line;
	Text name;				/* of the step or the channel */
	uint32_t number;		/* a count, a port, a length or milliseconds */
	Text bytes;				/* the bytes after the line */
} Command;

/* The reading position; a copy reads from there again. */
typedef struct {
	Text rest;
	unsigned int lineNumber;
} ScriptReader;

ScriptReader script_reader(Text script);

/*
 * Reads the next command. Do not call it once `rest` is empty.
 * @returns NULL, or the problem with the command, of which line and lineNumber are set
 */
const char *script_reader_next(ScriptReader *reader, Command *command);

bool text_equals(Text text, Text other);

#endif
