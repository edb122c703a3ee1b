/*
 * Loads the native image that is linked into it as a console does, and runs it on a processor that QEMU emulates, without a
 * console around it. Says what the app logged, and how it ended: `returned N`, or `trap N` and the functions on its stack.
 * What differs between processors is in `machine.h` of each.
 */
#include <stdint.h>

#include "image-memory.h"
#include "native-frame.h"

enum { BARE_PAGES = 4, TABLE_BYTES = 4096, STACK_BYTES = 256 * 1024, CODE_BYTES = 512 * 1024 };
#include "../bare-host.h"
#include "machine.h"

enum { READ_WRITE_EXECUTE = 7 };

extern const uint8_t imageFile[];
extern const NativeLayout imageLayout;
extern const uint32_t isInterrupted;

/* start.S */
int32_t system_call(int number, int32_t first, const void *second, uint32_t third);

static CodeMemory code;
static uint8_t codeBytes[CODE_BYTES] __attribute__((aligned(4096)));
static uint8_t betweenThem[4096];
static uint8_t variablesApart[CODE_BYTES] __attribute__((aligned(16)));
static uint8_t tableBytes[TABLE_BYTES] __attribute__((aligned(16)));
static NativeFrame stackTop;
static volatile uintptr_t *limit;

static void __attribute__((noreturn)) end(void);
static void say(const char *text);

/* Where variables are apart from code, a chip reads and writes code by aligned words, which these functions do not. */
static void require_no_code(const void *bytes)
{
	if (!ARE_VARIABLES_APART || (const uint8_t *)bytes < codeBytes || (const uint8_t *)bytes >= codeBytes + CODE_BYTES)
		return;
	say("bytes of code\n");
	end();
}

void *memcpy(void *to, const void *from, size_t length)
{
	require_no_code(to);
	require_no_code(from);
	copy(NULL, to, from, length);
	return to;
}

void *memset(void *to, int byte, size_t length)
{
	require_no_code(to);
	fill(NULL, to, byte, length);
	return to;
}

static size_t length_of(const char *text)
{
	size_t length = 0;
	while (text[length])
		length++;
	return length;
}

static void say(const char *text) { system_call(SYSTEM_WRITE, 1, text, length_of(text)); }

static void say_number(const char *before, int32_t number)
{
	char text[16];
	char *at = text + sizeof(text);
	*--at = 0;
	*--at = '\n';
	uint32_t left = number < 0 ? -(uint32_t)number : (uint32_t)number;
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--at = '-';
	say(before);
	say(at);
}

static void __attribute__((noreturn)) end(void)
{
	system_call(SYSTEM_EXIT, 0, 0, 0);
	__builtin_unreachable();
}

const char *const codeMemoryMachine = MACHINE;

bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	betweenThem[0] = 1;			// so that it is kept
	*memory = (CodeMemory){ codeBytes, ARE_VARIABLES_APART ? variablesApart : codeBytes + textByteLength };
	return textByteLength + variablesByteLength <= CODE_BYTES;
}

bool code_memory_make_executable(const CodeMemory *memory, size_t textByteLength)
{
	fetch_again();
	return system_call(SYSTEM_MPROTECT, (int32_t)memory->text, (void *)textByteLength, READ_WRITE_EXECUTE) == 0;
}

void code_memory_free(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	(void)memory, (void)textByteLength, (void)variablesByteLength;
}

/* `log` alone. */
static bool find(void *context, const char *name, uint32_t *function)
{
	(void)context;
	*function = 0;
	return name[0] == 'l' && name[1] == 'o' && name[2] == 'g' && name[3] == 0;
}

static bool call(void *context, uint32_t function, const int32_t *parameters, uint64_t *result)
{
	(void)context, (void)function;
	system_call(SYSTEM_WRITE, 1, bareMemory + parameters[1], (uint32_t)parameters[2]);
	say("\n");
	if (isInterrupted)
		*limit = UINTPTR_MAX;
	*result = 0;
	return true;
}

static uint32_t grow(void *context, NativeMemory *memory, uint32_t pages)
{
	(void)context;
	return grow_to(memory, pages, BARE_PAGES);
}

static bool allocate_table(void *context, void **table, size_t byteLength)
{
	(void)context;
	*table = tableBytes;
	return byteLength <= TABLE_BYTES;
}

/* Where the stack is at a place that its ABI does not allow, a function with variable arguments reads others. */
static void require_aligned_stack(void)
{
	volatile uint64_t onStack = 0;
	uintptr_t address = (uintptr_t)&onStack;
	__asm__ volatile("" : "+r"(address));		// or a compiler would take for granted what is to be seen
	if (address % sizeof(onStack) != 0)
		say("the stack is not aligned\n");
}

static void trap(void *context, NativeTrap reason, NativeFrame frame)
{
	(void)context;
	require_aligned_stack();
	say_number("trap ", (int32_t)reason);
	for (NativeFrame inner = NULL; frame > inner && frame < stackTop; inner = frame, frame = native_caller(frame)) {
		const size_t offset = native_return_address(frame, (uintptr_t)code.text) - (uintptr_t)code.text;
		const char *name = offset < imageLayout.textByteLength ? image_memory_name_at(&imageLayout, imageFile, offset - 1) : NULL;
		if (name) {
			say(name);
			say("\n");
		}
	}
	end();
}

void program_main(void)
{
	const NativeHost host = {
		.find = find, .call = call, .allocate = allocate, .grow = grow, .allocate_table = allocate_table, .pass = pass,
		.trap = trap, .copy = copy, .fill = fill, NUMBERS
	};
	const char *error = image_memory_allocate(&code, &imageLayout) ? image_memory_load(&code, &imageLayout, imageFile) : "no memory";
	if (error) {
		say(error);
		end();
	}
	stackTop = __builtin_frame_address(0);
	limit = image_memory_at(&code, &imageLayout, imageLayout.limitOffset);
	*limit = (uintptr_t)stackTop - STACK_BYTES;
	NativeMain *entry = (NativeMain *)(uintptr_t)image_memory_at(&code, &imageLayout, imageLayout.entryOffset);
	say_number("returned ", entry(&host));
	end();
}
