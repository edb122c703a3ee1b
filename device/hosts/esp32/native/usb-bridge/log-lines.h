/*
 * Text of ESP-IDF's log that shares a port with lines of the protocol: it waits until it is a whole line, and until the
 * protocol's line has ended. What does not fit is dropped. The caller takes turns.
 */
#ifndef SVC_LOG_LINES_H
#define SVC_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_LINES_BYTES = 512 };

typedef struct {
	bool isWithinProtocolLine;
	size_t length;
	char text[LOG_LINES_BYTES];
} LogLines;

/* A line that is longer than the room for all of them loses its end, not its line feed. */
void log_lines_add(LogLines *lines, const char *text, size_t length);

/* These bytes of the protocol were sent. */
void log_lines_protocol(LogLines *lines, const uint8_t *bytes, size_t length);

/* @returns how many bytes at the beginning of `text` may be sent now: whole lines */
size_t log_lines_ready(const LogLines *lines);

/* These bytes were sent, or are not wanted any more. */
void log_lines_drop(LogLines *lines, size_t length);

#endif
