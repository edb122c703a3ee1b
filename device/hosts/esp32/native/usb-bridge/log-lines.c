/* Lines of the log between those of the protocol (log-lines.h). */
#include "log-lines.h"

#include <string.h>

void log_lines_add(LogLines *lines, const char *text, size_t length)
{
	const size_t room = LOG_LINES_BYTES - lines->length;
	const size_t taken = length < room ? length : room;
	memcpy(lines->text + lines->length, text, taken);
	lines->length += taken;
	if (lines->length == LOG_LINES_BYTES)
		lines->text[LOG_LINES_BYTES - 1] = '\n';
}

void log_lines_protocol(LogLines *lines, const uint8_t *bytes, size_t length)
{
	if (length > 0)
		lines->isWithinProtocolLine = bytes[length - 1] != '\n';
}

size_t log_lines_ready(const LogLines *lines)
{
	size_t ready = lines->isWithinProtocolLine ? 0 : lines->length;
	while (ready > 0 && lines->text[ready - 1] != '\n')
		ready--;
	return ready;
}

void log_lines_drop(LogLines *lines, size_t length)
{
	lines->length -= length;
	memmove(lines->text, lines->text + length, lines->length);
}
