/*
 * Runs exports of modules in wasm3 as the engine is built with it: for the specification's own test suite,
 * and to measure the engine against. Reads commands on standard input, a line each, and answers each with a
 * line. `name` and `path` are hexadecimal after an `x`, for a name may be empty; values are the
 * hexadecimal digits of their bits.
 *
 *     load <id> <path>                   ok | trap <text> | error <text>
 *     invoke <id> <name> <value>…        ok <type>:<value>… | trap <text> | error <text>
 *     get <id> <name>                    ok <type>:<value> | error <text>
 *     name <id> <name>                   ok <hexadecimal>, the name of the function of that index
 *
 * Imported functions give zeros. Modules are prepared beforehand; the interrupt is never set.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interruption.h"
#include "m3_env.h"
#include "module-bytes.h"

enum {
	MODULES = 4096, LINE_BYTES = 65536, VALUES = 1024,
	OPERAND_STACK_BYTES = 1024 * 1024, MARGIN_SLOTS = 4096,
	NATIVE_STACK_BYTES = 1024 * 1024, COMPILER_STACK_BYTES = 2 * 1024 * 1024,
};

typedef struct {
	uint8_t *bytes;
	uint32_t byteLength;
	IM3Runtime runtime;
	IM3Module module;
} Loaded;

static Loaded loaded[MODULES];
static char line[LINE_BYTES];

static const void *give_zeros(IM3Runtime runtime, IM3ImportContext context, uint64_t *stack, void *memory)
{
	(void)runtime, (void)memory;
	memset(stack, 0, context->function->funcType->numRets * sizeof(uint64_t));
	return NULL;
}

static int answer_error(M3Result error)
{
	static const char PREFIX[] = "[trap] ";
	if (strncmp(error, PREFIX, sizeof(PREFIX) - 1) == 0)
		return printf("trap %s\n", error + sizeof(PREFIX) - 1);
	return printf("error %s\n", error);
}

/* In place. @returns the length in bytes */
static size_t decode(char *text)
{
	size_t length = strlen(text) / 2;
	for (size_t index = 0; index < length; index++) {
		unsigned int byte = 0;
		sscanf(text + 1 + 2 * index, "%2x", &byte);
		text[index] = (char)byte;
	}
	text[length] = 0;
	return length;
}

static bool read_file(Loaded *file, const char *path)
{
	FILE *stream = fopen(path, "rb");
	if (!stream)
		return false;
	fseek(stream, 0, SEEK_END);
	file->byteLength = ftell(stream);
	rewind(stream);
	file->bytes = malloc(file->byteLength + 1);
	bool isRead = file->bytes && fread(file->bytes, 1, file->byteLength, stream) == file->byteLength;
	fclose(stream);
	return isRead;
}

static M3Result link_imports(IM3Module module)
{
	for (uint32_t index = 0; index < module->numFuncImports; index++) {
		M3Result error = CompileRawFunction(module, &module->functions[index], (const void *)give_zeros, NULL);
		if (error)
			return error;
	}
	return NULL;
}

static int load(Loaded *slot, const char *path)
{
	if (!read_file(slot, path))
		return answer_error("no such file");
	IM3Environment environment = m3_NewEnvironment();
	slot->runtime = m3_NewRuntime(environment, OPERAND_STACK_BYTES, NULL);
	slot->runtime->numStackSlots -= MARGIN_SLOTS;
	module_hide_names(slot->bytes, slot->byteLength);
	M3Result error = m3_ParseModule(environment, &slot->module, slot->bytes, slot->byteLength);
	if (!error)
		error = m3_LoadModule(slot->runtime, slot->module);
	if (!error)
		error = link_imports(slot->module);
	if (!error)
		error = m3_RunStart(slot->module);
	return error ? answer_error(error) : printf("ok\n");
}

static bool is_wide(uint8_t type)
{
	return type == c_m3Type_i64 || type == c_m3Type_f64;
}

static void print_value(uint8_t type, uint64_t bits)
{
	static const char *const NAMES[] = { "none", "i32", "i64", "f32", "f64" };
	printf(" %s:%" PRIx64, NAMES[type], is_wide(type) ? bits : (uint32_t)bits);
}

static int invoke(Loaded *slot, char *name, char *values)
{
	static uint64_t arguments[VALUES], results[VALUES];
	static const void *pointers[VALUES];
	const int64_t index = module_find_export(slot->bytes, slot->byteLength, name, decode(name));
	if (!slot->module || index < 0)
		return answer_error("no such export");
	IM3Function function = &slot->module->functions[index];
	IM3FuncType type = function->funcType;
	uint32_t count = 0;
	for (char *value = strtok(values, " \n"); value; value = strtok(NULL, " \n")) {
		arguments[count] = strtoull(value, NULL, 16);
		pointers[count] = &arguments[count];
		count++;
	}
	M3Result error = function->compiled ? NULL : CompileFunction(function);
	if (!error)
		error = m3_Call(function, count, pointers);
	if (error)
		return answer_error(error);
	for (uint32_t result = 0; result < type->numRets; result++)
		pointers[result] = &results[result];
	m3_GetResults(function, type->numRets, pointers);
	printf("ok");
	for (uint32_t result = 0; result < type->numRets; result++)
		print_value(d_FuncRetType(type, result), results[result]);
	return printf("\n");
}

static int get(Loaded *slot, char *name)
{
	decode(name);
	IM3Global global = slot->module ? m3_FindGlobal(slot->module, name) : NULL;
	if (!global)
		return answer_error("no such export");
	printf("ok");
	print_value(global->type, (uint64_t)global->i64Value);
	return printf("\n");
}

/* The index is text, as everything is. */
static int name_function(Loaded *slot, char *index)
{
	decode(index);
	Bytes name = module_function_name(slot->bytes, slot->byteLength, strtoul(index, NULL, 10));
	printf("ok ");
	for (; name.at < name.end; name.at++)
		printf("%02x", *name.at);
	return printf("\n");
}

static void run_command(char *text)
{
	char *command = strtok(text, " \n");
	char *id = strtok(NULL, " \n");
	char *name = strtok(NULL, " \n");
	char *values = strtok(NULL, "\n");
	char none[] = "";
	if (!name || (unsigned int)atoi(id) >= MODULES)
		answer_error("no such command");
	else if (strcmp(command, "load") == 0) {
		decode(name);
		load(&loaded[atoi(id)], name);
	}
	else if (strcmp(command, "invoke") == 0)
		invoke(&loaded[atoi(id)], name, values ? values : none);
	else if (strcmp(command, "name") == 0)
		name_function(&loaded[atoi(id)], name);
	else
		get(&loaded[atoi(id)], name);
	fflush(stdout);
}

/* Nobody suspends or ends what runs here: the limit is found by code that has used up the stack. */
bool interruption_pass(uintptr_t stack)
{
	(void)stack;
	return false;
}

int main(void)
{
	const uintptr_t limit = stack_pointer() - NATIVE_STACK_BYTES;
	stackBounds.floor = limit - COMPILER_STACK_BYTES;
	atomic_store(&stackBounds.limit, limit);
	while (fgets(line, sizeof(line), stdin))
		run_command(line);
	return 0;
}
