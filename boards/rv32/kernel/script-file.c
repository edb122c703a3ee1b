/* Reads the script by semihosting, and checks each of its commands (script-file.h). */
#include "script-file.h"

#include <semihost.h>
#include <stdbool.h>
#include <stdio.h>

#include "board.h"
#include "far-memory.h"
#include "script-failure.h"

static Text read_whole(const char *name)
{
	int file = sys_semihost_open(name, SH_OPEN_R_B);
	if (file < 0) {
		fprintf(stderr, "script: cannot open \"%s\"\n", name);
		board_power_off(1);
	}
	size_t length = sys_semihost_flen(file);
	char *bytes = far_memory(length);
	if (sys_semihost_read(file, bytes, length) != 0) {
		fprintf(stderr, "script: cannot read \"%s\"\n", name);
		board_power_off(1);
	}
	sys_semihost_close(file);
	return (Text){ bytes, length };
}

/* Checks the whole script before it starts. */
static void check(Text script)
{
	Command command = { 0 };
	bool isInStep = false;
	for (ScriptReader reader = script_reader(script); reader.rest.length > 0;) {
		const char *problem = script_reader_next(&reader, &command);
		if (problem)
			script_fail(&command, problem);
		if (command.kind == COMMAND_STEP && isInStep)
			script_fail(&command, "a step within a step");
		if (command.kind == COMMAND_END && !isInStep)
			script_fail(&command, "no step to end");
		isInStep = command.kind == COMMAND_STEP || (isInStep && command.kind != COMMAND_END);
	}
	if (isInStep)
		script_fail(&command, "the script ends within a step");
}

Text script_file_read(const char *name)
{
	Text script = read_whole(name);
	check(script);
	return script;
}
