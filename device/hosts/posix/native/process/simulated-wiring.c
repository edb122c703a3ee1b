/* Reads the lines of `pins.txt` (simulated-wiring.h): a word, a number and a value each, or a comment after `#`. */
#include "simulated-wiring.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "pins-wiring.h"

enum { LINE_BYTES = 128 };

static const struct {
	const char *word;
	int first, last;			/* of pins or addresses */
	double least, most;
} KINDS[] = {
	[WIRING_ADC] = { "adc", 0, PIN_COUNT - 1, 0, 3300 },
	[WIRING_LEVEL] = { "level", 0, PIN_COUNT - 1, 0, 1 },
	[WIRING_WIRE] = { "wire", 0, PIN_COUNT - 1, 0, PIN_COUNT - 1 },
	[WIRING_LM75] = { "lm75", 0x48, 0x4F, -55, 125 },
};

static bool read_line(const char *text, WiringLine *line)
{
	char word[8], rest;
	if (sscanf(text, "%7s %i %lf %c", word, &line->which, &line->value, &rest) != 3)
		return false;
	for (WiringKind kind = WIRING_ADC; kind <= WIRING_LM75; kind++) {
		if (strcmp(word, KINDS[kind].word) != 0)
			continue;
		line->kind = kind;
		return line->which >= KINDS[kind].first && line->which <= KINDS[kind].last
			&& line->value >= KINDS[kind].least && line->value <= KINDS[kind].most;
	}
	return false;
}

/* Once: the file is read at each use. */
static void warn_of(const char *text)
{
	static _Atomic bool isTold;
	if (!isTold)
		fprintf(stderr, "console: this line of pins.txt connects nothing: %s\n", text);
	isTold = true;
}

int wiring_read(WiringLine lines[WIRING_LINES])
{
	char path[MAXIMUM_PATH_BYTES], text[LINE_BYTES];
	snprintf(path, sizeof(path), "%s/pins.txt", options.state ? options.state : ".");
	FILE *file = fopen(path, "re");
	if (!file)
		return -1;
	int count = 0;
	while (count < WIRING_LINES && fgets(text, sizeof(text), file)) {
		text[strcspn(text, "#\n")] = 0;
		if (text[strspn(text, " \t\r")] == 0)
			continue;
		if (read_line(text, &lines[count]))
			count++;
		else
			warn_of(text);
	}
	fclose(file);
	return count;
}
