/*
 * Calls functions of an app compiled as native images are, one after the other, and says what came of each: the numbers
 * that they returned, or that they trapped. `image_app_run` is made for each module (image-program.ts).
 */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "native-image.h"

enum { PAGE_BYTES = 65536, MAXIMUM_PAGES = 1024, STACK_BYTES = 256 * 1024 };

extern volatile uintptr_t imageLimit;
int32_t native_main(const NativeHost *host);

static jmp_buf trapped;
static uint32_t pageCount;

static bool find(void *context, const char *name, uint32_t *function)
{
	(void)context, (void)name, (void)function;
	return false;
}

static bool call(void *context, uint32_t function, const int32_t *parameters, uint64_t *result)
{
	(void)context, (void)function, (void)parameters, (void)result;
	return false;
}

static bool allocate(void *context, NativeMemory *memory, uint32_t pages, uint32_t maximum)
{
	(void)context, (void)maximum;
	pageCount = pages;
	*memory = (NativeMemory){ calloc(MAXIMUM_PAGES, PAGE_BYTES), pages };
	return pages <= MAXIMUM_PAGES && memory->data;
}

/* Up to what the module itself allows, which the preparer has written into it (image-program.ts passes it on). */
extern const uint32_t testMaximumPages;
static uint32_t grow(void *context, NativeMemory *memory, uint32_t pages)
{
	(void)context;
	const uint32_t before = pageCount;
	const uint32_t maximum = testMaximumPages < MAXIMUM_PAGES ? testMaximumPages : MAXIMUM_PAGES;
	if (pages > maximum - before)
		return UINT32_MAX;
	pageCount += pages;
	memory->pages = pageCount;
	return before;
}

static bool allocate_table(void *context, void **table, size_t byteLength)
{
	(void)context;
	return (*table = calloc(1, byteLength + 1)) != NULL;
}

static bool pass(void *context, uintptr_t stack)
{
	(void)context, (void)stack;
	return false;
}

static void trap(void *context, NativeTrap reason, void *const *frame)
{
	(void)context, (void)frame;
	longjmp(trapped, (int)reason + 1);
}

/* By loops: the program's memmove() and memset() are the image's, which call these. */
static void copy(void *context, void *to, const void *from, size_t length)
{
	(void)context;
	const uint8_t *source = from;
	uint8_t *target = to;
	for (size_t index = 0; index < length; index++) {
		const size_t at = target < source ? index : length - 1 - index;
		target[at] = source[at];
	}
}

static void fill(void *context, void *to, int byte, size_t length)
{
	(void)context;
	uint8_t *target = to;
	for (size_t index = 0; index < length; index++)
		target[index] = (uint8_t)byte;
}

static double round_number(int way, double value)
{
	return way == NATIVE_FLOOR ? floor(value) : way == NATIVE_CEILING ? ceil(value) : way == NATIVE_TRUNCATE ? trunc(value) : rint(value);
}

static float round_float(int way, float value)
{
	return way == NATIVE_FLOOR ? floorf(value) : way == NATIVE_CEILING ? ceilf(value) : way == NATIVE_TRUNCATE ? truncf(value) : rintf(value);
}

/* For what is made for each module: a line for each call. */
void test_call(void (*function)(uint64_t *results), const char *types)
{
	uint64_t results[64] = { 0 };
	if (setjmp(trapped)) {
		puts("trap");
		return;
	}
	function(results);
	printf("ok");
	for (size_t index = 0; types[index]; index++) {
		const char *names[] = { ['i'] = "i32", ['j'] = "i64", ['f'] = "f32", ['d'] = "f64" };
		printf(" %s:%llx", names[(unsigned char)types[index]], (unsigned long long)results[index]);
	}
	putchar('\n');
}

int main(void)
{
	const NativeHost host = {
		.find = find, .call = call, .allocate = allocate, .grow = grow, .allocate_table = allocate_table, .pass = pass,
		.trap = trap, .copy = copy, .fill = fill, .round = round_number, .round_float = round_float, .root = sqrt,
		.root_float = sqrtf,
	};
	imageLimit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
	return native_main(&host);
}
