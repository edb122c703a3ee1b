/* A block of memory allocated from both ends (arena.h). It is freed as a whole, with its machine. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

struct Arena {
	uint8_t *low;
	uint8_t *high;
	size_t byteLength;
	_Alignas(16) uint8_t bytes[];
};

static Arena *nextArena;

void arena_for_next_machine(Arena *arena)
{
	nextArena = arena;
}

Arena *arena_of_next_machine(void)
{
	return nextArena;
}

Arena *arena_new(size_t byteLength)
{
	Arena *arena = malloc(sizeof(Arena) + byteLength);
	if (!arena)
		abort();
	arena->low = arena->bytes;
	arena->high = arena->bytes + byteLength;
	arena->byteLength = byteLength;
	return arena;
}

void arena_delete(Arena *arena)
{
	free(arena);
}

void *arena_allocate_low(Arena *arena, size_t byteLength)
{
	size_t aligned = (byteLength + 7) & ~(size_t)7;
	if (aligned > arena_gap(arena))
		return NULL;
	void *result = arena->low;
	arena->low += aligned;
	return result;
}

void *arena_allocate_high(Arena *arena, size_t byteLength)
{
	if (byteLength > arena_gap(arena))
		return NULL;
	arena->high -= byteLength;
	return arena->high;
}

void arena_return_low(Arena *arena, size_t byteLength)
{
	arena->low -= byteLength;
}

void arena_return_high(Arena *arena, size_t byteLength)
{
	arena->high += byteLength;
}

size_t arena_byte_length(const Arena *arena)
{
	return arena->byteLength;
}

size_t arena_gap(const Arena *arena)
{
	return (size_t)(arena->high - arena->low);
}

bool arena_ends_at(const Arena *arena, const void *address)
{
	return arena->low == address;
}

bool arena_begins_at(const Arena *arena, const void *address)
{
	return arena->high == address;
}
