/*
 * The functions that a trap went through, innermost first. wasm3 allocates a frame for each, which after a
 * stack overflow is the whole stack once more; the innermost ones say what there is to know.
 */
#ifndef SVC_BACKTRACE_H
#define SVC_BACKTRACE_H

#include <stdint.h>

#include "wasm3.h"

enum { BACKTRACE_FRAMES = 32 };

typedef struct {
	IM3Function functions[BACKTRACE_FRAMES];	/* NULL: a frame that is not a function of the module's */
	uint32_t count;								/* may be more than there is room for */
} Backtrace;

/* A new outermost frame; then the function that it is of. */
void backtrace_push(Backtrace *backtrace);
void backtrace_fill(Backtrace *backtrace, IM3Function function);

#endif
