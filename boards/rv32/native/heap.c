/* Counts the C library's allocations (heap.h). */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "root.h"

extern void *__real_malloc(size_t size);
extern void *__real_realloc(void *block, size_t size);
extern void *__real_aligned_alloc(size_t alignment, size_t size);
extern void __real_free(void *block);

static size_t used, peak;

static void *count(void *block)
{
	used += block ? malloc_usable_size(block) : 0;
	if (peak < used)
		peak = used;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return count(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(number, size, &total))
		return NULL;
	void *block = __wrap_malloc(total);
	return block ? memset(block, 0, total) : NULL;
}

void __wrap_free(void *block)
{
	if (!block || root_has(block))
		return;
	used -= malloc_usable_size(block);
	__real_free(block);
}

/* The C library's function may call these wrappers to allocate and free: the block that it returns counts. */
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	const size_t before = used;
	void *block = __real_aligned_alloc(alignment, size);
	used = before;
	return count(block);
}

/* The same; it may also fail and keep the old block. */
void *__wrap_realloc(void *block, size_t size)
{
	const size_t before = used;
	const size_t old = block ? malloc_usable_size(block) : 0;
	void *result = __real_realloc(block, size);
	used = before - (result || size == 0 ? old : 0);
	return count(result);
}

size_t heap_peak_bytes(void)
{
	return peak;
}

void heap_forget_peak(void)
{
	peak = used;
}
