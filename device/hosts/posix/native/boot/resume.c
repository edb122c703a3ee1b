/*
 * One environment variable with the bytes of the record in hexadecimal (resume.h); the same executable writes and
 * reads it. Everything that resume_restart needs is prepared beforehand, since it may interrupt malloc.
 */
#include "resume.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "SVC_SIM_RESUME"

enum { VALUE_AT = sizeof(VARIABLE "=") - 1 };

static const char DIGITS[] = "0123456789abcdef";

Resume resume = { .usbMaster = -1, .windowSocket = -1 };

static char **processArguments;
static char **environment;
static char assignment[VALUE_AT + 2 * sizeof(Resume) + 1] = VARIABLE "=";

static void write_value(void)
{
	const uint8_t *bytes = (const uint8_t *)&resume;
	char *digit = assignment + VALUE_AT;
	for (size_t index = 0; index < sizeof(Resume); index++) {
		*digit++ = DIGITS[bytes[index] >> 4];
		*digit++ = DIGITS[bytes[index] & 15];
	}
}

static bool read_value(const char *text)
{
	uint8_t bytes[sizeof(Resume)];
	if (strlen(text) != 2 * sizeof(bytes) || strspn(text, DIGITS) != 2 * sizeof(bytes))
		return false;
	for (size_t index = 0; index < sizeof(bytes); index++) {
		const char *digit = text + 2 * index;
		bytes[index] = (strchr(DIGITS, digit[0]) - DIGITS) << 4 | (strchr(DIGITS, digit[1]) - DIGITS);
	}
	memcpy(&resume, bytes, sizeof(resume));
	return true;
}

/* Copies the environment and adds the variable. */
static void keep_environment(void)
{
	size_t count = 0;
	while (environ[count])
		count++;
	environment = calloc(count + 2, sizeof(*environment));
	if (!environment)
		abort();
	memcpy(environment, environ, count * sizeof(*environment));
	environment[count] = assignment;
}

void resume_open(char *arguments[])
{
	const char *text = getenv(VARIABLE);
	if (text && !read_value(text)) {
		fprintf(stderr, "console: %s is for the console's own use\n", VARIABLE);
		exit(2);
	}
	unsetenv(VARIABLE);
	processArguments = arguments;
	keep_environment();
}

void resume_restart(void)
{
	static const char problem[] = "console: cannot start again\n";
	if (resume.usbMaster >= 0)
		fcntl(resume.usbMaster, F_SETFD, 0);		// the only descriptors that stay open
	if (resume.windowSocket >= 0)
		fcntl(resume.windowSocket, F_SETFD, 0);
	write_value();
	execve("/proc/self/exe", processArguments, environment);
	ssize_t ignored = write(STDERR_FILENO, problem, sizeof(problem) - 1);
	(void)ignored;
	_exit(1);
}
