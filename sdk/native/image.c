/*
 * The part of a native image that is the same in all: between the app's functions (image.h) and the console
 * (native-image.h). Compiled with the app's own C, which defines `image_app_run` and the names of its imports.
 */
#include "wasm-rt.h"

#include "math.h"
#include "string.h"

extern const char *const imageImports[];
extern uint32_t imageFunctions[];
extern const uint32_t imageImportCount;
int32_t image_app_run(void);

volatile uintptr_t imageLimit;
void image_pass(uintptr_t stack) __attribute__((noinline, cold));
uint64_t image_read_bytes(const uint8_t *from, uint32_t byteLength) __attribute__((noinline, cold));
void image_write_bytes(uint8_t *to, uint64_t value, uint32_t byteLength) __attribute__((noinline, cold));

static const NativeHost *host;		/* until the app ends */

void image_end(NativeTrap trap, void *const *frame)
{
	host->trap(host->context, trap, frame);
	__builtin_unreachable();
}

static void require(bool hasWorked)
{
	if (UNLIKELY(!hasWorked))
		wasm_rt_trap((wasm_rt_trap_t)NATIVE_TRAP_OF_HOST);
}

void image_pass(uintptr_t stack)
{
	if (!host->pass(host->context, stack))
		wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages, uint64_t maximum, bool is64, uint32_t pageBytes)
{
	NativeMemory given = { 0, 0 };
	(void)is64;
	require(host->allocate(host->context, &given, (uint32_t)pages, (uint32_t)maximum));
	memory->data = given.data;
	memory->pages = given.pages;
	memory->size = (uint64_t)given.pages * pageBytes;
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages)
{
	NativeMemory given = { memory->data, memory->pages };
	const uint32_t before = host->grow(host->context, &given, (uint32_t)pages);
	memory->data = given.data;
	memory->pages = given.pages;
	memory->size = (uint64_t)given.pages * 65536;
	return before;
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t elements, uint32_t maximum)
{
	void *data = 0;
	(void)maximum;
	require(host->allocate_table(host->context, &data, elements * sizeof(wasm_rt_funcref_t)));
	table->data = data;
	table->size = elements;
}

uint64_t image_call(uint32_t function, const int32_t *parameters)
{
	uint64_t result = 0;
	require(host->call(host->context, function, parameters, &result));
	return result;
}

/* Many of them may follow each other, each of which takes its time. */
static void look(void)
{
	if (UNLIKELY(imageLimit == UINTPTR_MAX))
		image_pass(UINTPTR_MAX);
}

void *memcpy(void *to, const void *from, size_t length)
{
	look();
	host->copy(host->context, to, from, length);
	return to;
}

void *memmove(void *to, const void *from, size_t length)
{
	look();
	host->copy(host->context, to, from, length);
	return to;
}

void *memset(void *to, int byte, size_t length)
{
	look();
	host->fill(host->context, to, byte, length);
	return to;
}

int memcmp(const void *one, const void *other, size_t length)
{
	const uint8_t *left = one, *right = other;
	for (size_t index = 0; index < length; index++) {
		if (left[index] != right[index])
			return left[index] - right[index];
	}
	return 0;
}

uint64_t image_read_bytes(const uint8_t *from, uint32_t byteLength)
{
	uint64_t value = 0;
	for (uint32_t index = byteLength; index > 0; index--)
		value = value << 8 | from[index - 1];
	return value;
}

void image_write_bytes(uint8_t *to, uint64_t value, uint32_t byteLength)
{
	for (uint32_t index = 0; index < byteLength; index++, value >>= 8)
		to[index] = (uint8_t)value;
}

double image_round(int way, double value) { return host->round(way, value); }
float image_round_float(int way, float value) { return host->round_float(way, value); }
double image_root(double value) { return host->root(value); }
float image_root_float(float value) { return host->root_float(value); }

int32_t native_main(const NativeHost *given)
{
	host = given;
	for (uint32_t index = 0; index < imageImportCount; index++)
		require(host->find(host->context, imageImports[index], &imageFunctions[index]));
	return image_app_run();
}
