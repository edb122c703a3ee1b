/*
 * What a script awaits, found in what the console has said so far. Each function says how many bytes it takes up from the
 * beginning; -1: it has not come whole yet.
 */
#ifndef SVC_AWAITED_H
#define SVC_AWAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef ptrdiff_t AwaitedLength;

/*
 * Responses (RFC 9112 §6.3) to anything but HEAD, of a known length, chunked, or up to the end of the connection. What
 * only announces one (100 Continue) is not counted.
 */
AwaitedLength awaited_responses(const uint8_t *said, size_t length, bool hasEnded, uint32_t count);

/* Up to a newline each. */
AwaitedLength awaited_lines(const uint8_t *said, size_t length, uint32_t count);

/* WebSocket frames (RFC 6455 §5.2). */
AwaitedLength awaited_frames(const uint8_t *said, size_t length, uint32_t count);

/* Up to the end of these bytes. */
AwaitedLength awaited_text(const uint8_t *said, size_t length, const uint8_t *text, size_t textLength);

#endif
