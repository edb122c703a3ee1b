/* The command with its line, then the problem (script-failure.h). */
#include "script-failure.h"

#include <stdbool.h>
#include <stdio.h>

#include "board.h"
#include "script-channels.h"

static void show_bytes(const char *bytes, size_t length)
{
	enum { SHOWN_BYTES = 1000 };
	for (size_t index = 0; index < length && index < SHOWN_BYTES; index++) {
		const unsigned char byte = (unsigned char)bytes[index];
		if (byte == '\n' || byte == '\r')
			fprintf(stderr, byte == '\n' ? "\\n" : "\\r");
		else
			fprintf(stderr, byte >= ' ' && byte <= '~' ? "%c" : "\\x%02x", byte);
	}
	fprintf(stderr, length > SHOWN_BYTES ? "...\n" : "\n");
}

/* The start of the message: where it happened. */
static void show_command(const Command *command)
{
	fprintf(stderr, "script: line %u, \"%.*s\": ", command->lineNumber, (int)command->line.length,
		command->line.bytes);
}

void script_fail(const Command *command, const char *problem)
{
	show_command(command);
	fprintf(stderr, "%s\n", problem);
	board_power_off(1);
}

static bool is_await(const Command *command)
{
	return command->kind >= COMMAND_AWAIT_HTTP && command->kind <= COMMAND_AWAIT_TEXT;
}

void script_fail_waiting(const Command *command, const char *problem)
{
	show_command(command);
	fprintf(stderr, "%s\n", problem);
	if (command->kind == COMMAND_AWAIT_TEXT) {
		fprintf(stderr, "awaited: ");
		show_bytes(command->bytes.bytes, command->bytes.length);
	}
	if (is_await(command)) {
		const uint8_t *said;
		size_t length = wire_said(script_channel(command->name)->wire, &said);
		fprintf(stderr, "has come: %u bytes: ", (unsigned int)length);
		show_bytes((const char *)said, length);
	}
	board_power_off(1);
}
