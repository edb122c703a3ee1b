/*
 * The functions that a trap went through, innermost first. wasm3 allocates a frame for each, which after a
 * stack overflow is the whole stack once more; the innermost ones say what there is to know.
 *
 * Where in a function a frame is, wasm3 could tell by a table as large as its code. Instead, the order in which functions
 * were compiled is kept. After a trap they are compiled once more in that order, from the same start, which puts
 * every instruction into the same place of the same page; that time, the places that are asked for are noted.
 */
#ifndef SVC_BACKTRACE_H
#define SVC_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "wasm3.h"

enum { BACKTRACE_FRAMES = 32 };

/* A word of wasm3's code, and the byte of the module whose instruction it belongs to. */
typedef struct {
	uint32_t page, line;
	uint32_t offset;							/* 0: not found */
} CodePlace;

typedef struct {
	IM3Function functions[BACKTRACE_FRAMES];	/* NULL: a frame that is not a function of the module's */
	const void *codes[BACKTRACE_FRAMES];		/* within wasm3's code */
	uint32_t count;								/* may be more than there is room for */
	uint16_t *order;							/* indexes of the compiled functions; NULL: it is not kept */
	uint32_t compiledCount;
	CodePlace *places;							/* to be found while functions are compiled; NULL: none */
	uint32_t placeCount;
} Backtrace;

/* A new outermost frame; then the function that it is of. */
void backtrace_push(Backtrace *backtrace, const void *code);
void backtrace_fill(Backtrace *backtrace, IM3Function function);

/* A function is compiled. */
void backtrace_compiled(Backtrace *backtrace, uint32_t function);

/* The next words of the page, from that line on, are of the instruction at the offset. */
void backtrace_note(Backtrace *backtrace, uint32_t page, uint32_t line, uint32_t offset);

#endif
