/* strtoul, made strict (environment.h). */
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

unsigned long environment_number(const char *name, unsigned long minimum, unsigned long otherwise)
{
	const char *text = getenv(name);
	if (!text || !*text)
		return otherwise;
	char *end;
	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number < minimum) {
		fprintf(stderr, "console: %s=\"%s\" is not a number%s\n", name, text, minimum > 0 ? " over 0" : "");
		exit(2);
	}
	return number;
}
