/*
 * The memory of a machine: one block as on the board, chunks growing up from its start, slots and stack
 * down from its end. What lies between is what neither has ever needed.
 */
#ifndef SVC_ARENA_H
#define SVC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Arena Arena;

/* The block that the machine created next will live in; NULL for one without a limit. */
void arena_for_next_machine(Arena *arena);
Arena *arena_of_next_machine(void);

Arena *arena_new(size_t byteLength);
void arena_delete(Arena *arena);

/* NULL when the gap is too small. */
void *arena_allocate_low(Arena *arena, size_t byteLength);
void *arena_allocate_high(Arena *arena, size_t byteLength);
/* Gives back the end of what was allocated low, and the beginning of what was allocated high. */
void arena_return_low(Arena *arena, size_t byteLength);
void arena_return_high(Arena *arena, size_t byteLength);

size_t arena_byte_length(const Arena *arena);
size_t arena_gap(const Arena *arena);
/* Whether `address` is where the next low allocation would begin. */
bool arena_ends_at(const Arena *arena, const void *address);
/* Whether `address` is where the last high allocation begins. */
bool arena_begins_at(const Arena *arena, const void *address);

#endif
