/*
 * Runs an app's native image (native-image.h): loads it where code may run, gives it what it asks for within the bounds of
 * any app, and finds the functions on its stack when it traps. Hostile code is not kept from anything in here: only what a
 * key of role `native` has signed runs (docs/spec/aot.md#believed).
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "guest-engine.h"
#include "interruption.h"
#include "native-frame.h"
#include "native-image.h"
#include "native-numbers.h"
#include "wasm3.h"

enum { PAGE_BYTES = 65536, TABLES = 4, LONG_BYTES = 32 * 1024 };
_Static_assert((int)NATIVE_PARAMETERS == (int)ABI_PARAMETERS, "an image passes as many parameters as a function may have");

typedef struct {
	Guest *guest;
	uint8_t *memory;
	uint32_t pages, maximumPages;
	void *tables[TABLES];
	const char *error;			/* why the app ends; NULL: its entry has returned */
	NativeFrame stackTop;		/* no frame of the image is beyond */
	jmp_buf end;
} NativeRun;

/* The name of the function that the frame returns to; NULL where it is not one of the app's. */
static const char *name_at(const NativeRun *run, NativeFrame frame)
{
	const Guest *guest = run->guest;
	const uintptr_t code = (uintptr_t)guest->code.text;
	const size_t offset = native_return_address(frame, code) - code;
	return offset < guest->image.textByteLength ? image_memory_name_at(&guest->image, guest->module, offset - 1) : NULL;
}

static void name_frames(NativeRun *run, NativeFrame frame)
{
	GuestExit *exit = &run->guest->exit;
	while (exit->frameCount < BACKTRACE_FRAMES) {
		const char *name = name_at(run, frame);
		if (name) {
			const uint8_t *text = (const uint8_t *)name;
			char *into = exit->frames[exit->frameCount++];
			into[guest_copy_text(into, GUEST_NAME_BYTES - 1, text, text + strlen(name))] = 0;
		}
		const NativeFrame caller = native_caller(frame);
		if (caller <= frame || caller >= run->stackTop)
			return;
		frame = caller;
	}
}

static const char *error_of(NativeTrap trap)
{
	switch (trap) {
	case NATIVE_TRAP_OUT_OF_BOUNDS: return m3Err_trapOutOfBoundsMemoryAccess;
	case NATIVE_TRAP_INTEGER_OVERFLOW: return m3Err_trapIntegerOverflow;
	case NATIVE_TRAP_DIVISION_BY_ZERO: return m3Err_trapDivisionByZero;
	case NATIVE_TRAP_CONVERSION: return m3Err_trapIntegerConversion;
	case NATIVE_TRAP_UNREACHABLE: return m3Err_trapUnreachable;
	case NATIVE_TRAP_ELEMENT: return m3Err_trapTableIndexOutOfRange;
	case NATIVE_TRAP_DATA: return "[trap] data segment out of bounds";
	case NATIVE_TRAP_CALL_TYPE: return m3Err_trapIndirectCallTypeMismatch;
	default: return m3Err_trapStackOverflow;
	}
}

static void end_with_trap(void *context, NativeTrap trap, NativeFrame frame)
{
	NativeRun *run = context;
	if (trap != NATIVE_TRAP_OF_HOST)
		run->error = error_of(trap);
	if (run->error != m3Err_trapExit)
		name_frames(run, frame);
	longjmp(run->end, 1);
}

/* What the image asks for. That which fails has said why. */

static bool fail(NativeRun *run, const char *error)
{
	run->error = error;
	return error == NULL;
}

static bool find(void *context, const char *name, uint32_t *function)
{
	const AbiFunction *found = guest_find_function(name);
	if (found)
		*function = found - abiFunctions;
	return fail(context, found ? NULL : "the image imports a function that there is not");
}

static bool call(void *context, uint32_t function, const int32_t *parameters, uint64_t *result)
{
	NativeRun *run = context;
	AbiCall made = { .result = 0 };
	memcpy(made.parameters, parameters, sizeof(made.parameters));
	const AbiFunction *called = &abiFunctions[function];
	const char *error = guest_call(run->guest, called, &made, run->memory, (size_t)run->pages * PAGE_BYTES);
	*result = called->isWide ? (uint64_t)made.result : (uint32_t)made.result;
	return fail(run, error);
}

static bool allocate(void *context, NativeMemory *memory, uint32_t pages, uint32_t maximum)
{
	NativeRun *run = context;
	const uint64_t quotaPages = run->guest->memoryQuotaBytes / PAGE_BYTES;
	run->maximumPages = maximum < quotaPages ? maximum : (uint32_t)quotaPages;
	if (pages > run->maximumPages)
		return fail(run, GUEST_QUOTA);
	run->memory = calloc(pages ? pages : 1, PAGE_BYTES);
	if (!run->memory)
		return fail(run, GUEST_QUOTA);
	run->pages = pages;
	*memory = (NativeMemory){ run->memory, pages };
	return true;
}

static uint32_t grow(void *context, NativeMemory *memory, uint32_t pages)
{
	NativeRun *run = context;
	const uint32_t before = run->pages;
	if (pages > run->maximumPages - before)
		return UINT32_MAX;
	if (pages > 0) {
		uint8_t *grown = realloc(run->memory, (size_t)(before + pages) * PAGE_BYTES);
		if (!grown)
			return UINT32_MAX;
		memset(grown + (size_t)before * PAGE_BYTES, 0, (size_t)pages * PAGE_BYTES);
		run->memory = grown;
		run->pages = before + pages;
	}
	*memory = (NativeMemory){ run->memory, run->pages };
	return before;
}

static bool allocate_table(void *context, void **table, size_t byteLength)
{
	NativeRun *run = context;
	for (unsigned int index = 0; index < TABLES; index++) {
		if (run->tables[index])
			continue;
		run->tables[index] = calloc(1, byteLength + 1);		// one more, so that none is something, too
		*table = run->tables[index];
		break;
	}
	return fail(run, *table ? NULL : GUEST_QUOTA);
}

static bool pass(void *context, uintptr_t stack)
{
	(void)context;
	return interruption_pass(stack);
}

/* What the app's memory holds is of no interest any more when the app is to end (wasm3-interpreter.c). */
static void copy(void *context, void *to, const void *from, size_t length)
{
	(void)context;
	if (length < LONG_BYTES || !is_to_end())
		memmove(to, from, length);
}

static void fill(void *context, void *to, int byte, size_t length)
{
	(void)context;
	if (length < LONG_BYTES || !is_to_end())
		memset(to, byte, length);
}

static void execute(NativeRun *run)
{
	const NativeHost host = {
		.context = run, .find = find, .call = call, .allocate = allocate, .grow = grow, .allocate_table = allocate_table,
		.pass = pass, .trap = end_with_trap, .copy = copy, .fill = fill, NATIVE_HOST_NUMBERS,
	};
	const NativeLayout *image = &run->guest->image;
	NativeMain *entry = (NativeMain *)(uintptr_t)image_memory_at(&run->guest->code, image, image->entryOffset);
	run->stackTop = __builtin_frame_address(0);
	guest_share_limit(run->guest, image_memory_at(&run->guest->code, image, image->limitOffset));
	if (setjmp(run->end) == 0)
		run->guest->exit.code = entry(&host);
	guest_share_limit(run->guest, NULL);
}

static const char *reason_of(NativeRun *run)
{
	if (run->error && strcmp(run->error, GUEST_QUOTA) == 0)
		return guest_fail(run->guest, GUEST_QUOTA, "memory at the start is over the quota");
	return guest_reason(run->guest, run->error);
}

const char *guest_run_image(Guest *guest)
{
	NativeRun run = { .guest = guest };
	run.error = image_memory_load(&guest->code, &guest->image, guest->module);
	if (!run.error)
		execute(&run);
	const char *reason = reason_of(&run);
	for (unsigned int index = 0; index < TABLES; index++)
		free(run.tables[index]);
	free(run.memory);
	image_memory_free(&guest->code, &guest->image);
	return reason;
}
