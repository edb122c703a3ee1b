/*
 * The maker of roots (../maker) as a program of the desktop with 32 bits: its words have the size and order of those of all
 * boards. Writes into the working directory.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "boot.h"
#include "maker.h"
#include "natives.h"
#include "root.h"

/* From the linker: the first and the last byte that it has placed. */
extern const uint8_t __executable_start[], _end[];

void maker_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

/* The texts of modules, which are here beside everything else, are the root's own. */
static bool is_of_module(const uint8_t *address)
{
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		const uint8_t *source = (const uint8_t *)nativeModules[index].source;
		if (address >= source && address < source + nativeModules[index].byteLength)
			return true;
	}
	return false;
}

bool maker_is_linked(const void *address)
{
	const uint8_t *at = address;
	return at >= __executable_start && at < _end && !is_of_module(at);
}

void maker_write(const char *file, const void *bytes, size_t byteLength)
{
	FILE *to = fopen(file, "wb");
	if (!to || fwrite(bytes, 1, byteLength, to) != byteLength || fclose(to) != 0)
		maker_fail("cannot write \"%s\"", file);
}

void boot_abort(const char *reason, const char *detail)
{
	maker_fail("%s%s%s", reason, *detail ? ": " : "", detail);
}

/* For XS (../native/board-platform.h): the program's stack is as deep as the desktop lets it be. */
char *fxCStackLimit(void)
{
	return NULL;
}

int main(int count, char **words)
{
	if (count != 2)
		maker_fail("usage: root-maker ADDRESS");
	root_make((uint32_t)strtoul(words[1], NULL, 10));
	return 0;
}
