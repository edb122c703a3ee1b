/*
 * Calls functions of an app compiled as native images are, one after the other, and says what came of each: the numbers
 * that they returned, or that they trapped. `image_app_run` is made for each module (image-program.ts).
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { BARE_PAGES = 1024, STACK_BYTES = 256 * 1024 };
#include "bare-host.h"
#include "native-numbers.h"

extern volatile uintptr_t imageLimit;
int32_t native_main(const NativeHost *host);

static jmp_buf trapped;

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

/* Up to what the module itself allows, which the preparer has written into it (image-program.ts passes it on). */
extern const uint32_t testMaximumPages;
static uint32_t grow(void *context, NativeMemory *memory, uint32_t pages)
{
	(void)context;
	return grow_to(memory, pages, testMaximumPages < BARE_PAGES ? testMaximumPages : BARE_PAGES);
}

static bool allocate_table(void *context, void **table, size_t byteLength)
{
	(void)context;
	return (*table = calloc(1, byteLength + 1)) != NULL;
}

static void trap(void *context, NativeTrap reason, void *const *frame)
{
	(void)context, (void)frame;
	longjmp(trapped, (int)reason + 1);
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
		.trap = trap, .copy = copy, .fill = fill, NATIVE_HOST_NUMBERS,
	};
	imageLimit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
	return native_main(&host);
}
