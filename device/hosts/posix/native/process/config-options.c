/* Reads --config NAME=VALUE as the program does: the last value of a name counts (config-options.h). */
#include "config-options.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

static const IntegerOption *find_option(const char *name)
{
	const IntegerOption *option = integerOptions;
	while (option->name && strcmp(option->name, name) != 0)
		option++;
	if (!option->name)
		abort();
	return option;
}

static const char *text_of(const char *name)
{
	const size_t length = strlen(name);
	for (int index = options.configCount; index-- > 0; ) {
		const char *text = options.config[index];
		if (strncmp(text, name, length) == 0 && text[length] == '=')
			return text + length + 1;
	}
	return NULL;
}

long config_integer(const char *name)
{
	const IntegerOption *option = find_option(name);
	const char *text = text_of(name);
	if (!text || !*text || strspn(text, "0123456789") != strlen(text))
		return option->value;
	long value = strtol(text, NULL, 10);		// LONG_MAX if there are too many digits
	return value >= option->minimum && value <= option->maximum ? value : option->value;
}
