/*
 * Input of a terminal that one host closed and another opened before the console had read it. The bytes do not show
 * where the next host's begin. But a request is one JSON object in a line, and half an object has more opening braces than
 * closing ones: so the next host's request begins at the first brace from which the line is one whole object. What
 * precedes it is the half line of the host before (docs/spec/usb.md#unplugged-quickly).
 */
#ifndef SVC_MIXED_INPUT_H
#define SVC_MIXED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half of the longest line, and the longest line (docs/spec/usb.md#line-limit). */
enum { MIXED_INPUT_BYTES = 12288 };

typedef struct {
	size_t checked;		/* bytes of lines whose half lines are removed */
	size_t mixed;		/* how many of the next bytes both hosts may have sent */
	size_t length;
	uint8_t bytes[MIXED_INPUT_BYTES];
} MixedInput;

/*
 * Removes half lines up to the line of the last mixed byte.
 * @returns whether that line has ended, or there is no room for its end
 */
bool mixed_input_settle(MixedInput *input);

#endif
