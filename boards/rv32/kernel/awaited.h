/*
 * Finds what a script awaits in the console's output so far. Each function returns the length of the awaited items
 * from the start, -1 if they are incomplete.
 */
#ifndef SVC_AWAITED_H
#define SVC_AWAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef ptrdiff_t AwaitedLength;

/*
 * Responses (RFC 9112 §6.3) to any method but HEAD: with a length, chunked, or up to the end of the connection.
 * Interim responses (100 Continue) do not count.
 */
AwaitedLength awaited_responses(const uint8_t *said, size_t length, bool hasEnded, uint32_t count);

/* Lines, each including its newline. */
AwaitedLength awaited_lines(const uint8_t *said, size_t length, uint32_t count);

/* WebSocket frames (RFC 6455 §5.2). */
AwaitedLength awaited_frames(const uint8_t *said, size_t length, uint32_t count);

/* Up to the end of these bytes. */
AwaitedLength awaited_text(const uint8_t *said, size_t length, const uint8_t *text, size_t textLength);

#endif
