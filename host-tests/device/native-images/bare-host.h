/*
 * What a native image gets from a program without a console: memory of at most BARE_PAGES, of which whoever includes this
 * says how many they are, and copies by loops, since memmove() of such a program can be the image's, which calls these.
 */
#ifndef SVC_BARE_HOST_H
#define SVC_BARE_HOST_H

#include "native-image.h"

enum { PAGE_BYTES = 65536 };

static uint8_t bareMemory[(size_t)BARE_PAGES * PAGE_BYTES] __attribute__((aligned(16)));
static uint32_t barePageCount;

static bool allocate(void *context, NativeMemory *memory, uint32_t pages, uint32_t maximum)
{
	(void)context, (void)maximum;
	barePageCount = pages;
	*memory = (NativeMemory){ bareMemory, pages };
	return pages <= BARE_PAGES;
}

/* @returns the pages before, or UINT32_MAX where they would be more than `maximum` */
static uint32_t grow_to(NativeMemory *memory, uint32_t pages, uint32_t maximum)
{
	const uint32_t before = barePageCount;
	if (pages > maximum - before)
		return UINT32_MAX;
	barePageCount += pages;
	memory->pages = barePageCount;
	return before;
}

/* The app does not go on where its limit was found. */
static bool pass(void *context, uintptr_t stack)
{
	(void)context, (void)stack;
	return false;
}

static void copy(void *context, void *to, const void *from, size_t length)
{
	(void)context;
	const uint8_t *source = from;
	volatile uint8_t *target = to;		// or a compiler would make a memmove() of it
	for (size_t index = 0; index < length; index++) {
		const size_t at = to < from ? index : length - 1 - index;
		target[at] = source[at];
	}
}

static void fill(void *context, void *to, int byte, size_t length)
{
	(void)context;
	volatile uint8_t *target = to;
	for (size_t index = 0; index < length; index++)
		target[index] = (uint8_t)byte;
}

#endif
