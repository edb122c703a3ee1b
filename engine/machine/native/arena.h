/*
 * The memory of a machine: one block, as on the board. Chunks grow up from its start, slots and stack down from its
 * end. The gap between them is memory that neither has needed so far.
 */
#ifndef SVC_ARENA_H
#define SVC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Arena Arena;

/* Sets the block for the machine that is created next; NULL for a machine without a limit. */
void arena_for_next_machine(Arena *arena);
Arena *arena_of_next_machine(void);

Arena *arena_new(size_t byteLength);
void arena_delete(Arena *arena);

/* NULL if the gap is too small. */
void *arena_allocate_low(Arena *arena, size_t byteLength);
void *arena_allocate_high(Arena *arena, size_t byteLength);
/* Frees the end of the low allocations, or the start of the high ones. */
void arena_return_low(Arena *arena, size_t byteLength);
void arena_return_high(Arena *arena, size_t byteLength);

size_t arena_byte_length(const Arena *arena);
size_t arena_gap(const Arena *arena);
/* Whether the next low allocation would start at `address`. */
bool arena_ends_at(const Arena *arena, const void *address);
/* Whether the last high allocation starts at `address`. */
bool arena_begins_at(const Arena *arena, const void *address);

#endif
