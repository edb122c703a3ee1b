/*
 * Where native images run on the board (device/wasm/native/code-memory.h). The memory of the ESP32 that holds instructions
 * is read and written by aligned words only (ESP32 TRM, "Embedded Memory"), so variables are in another, which may be PSRAM.
 * Images use what the firmware leaves free. Other chips of the family keep memory from being both written and executed.
 */
#include "code-memory.h"

#include <stdlib.h>

#include "esp_heap_caps.h"
#include "sdkconfig.h"

/* ESP-IDF 6 has the capability only if no memory is protected (CONFIG_HEAP_HAS_EXEC_HEAP). */
#if CONFIG_IDF_TARGET_ESP32 && defined(MALLOC_CAP_EXEC)
const char *const codeMemoryMachine = "xtensa";
enum { EXECUTABLE = MALLOC_CAP_EXEC };
#else
const char *const codeMemoryMachine;
enum { EXECUTABLE = MALLOC_CAP_INVALID };		// no memory has it
#endif

/* Some of that memory is also the chip's memory for data, of which code must not take what TLS, the network and threads need. */
static bool leaves_enough(void)
{
	enum { RESERVE_BYTES = 64 * 1024 };
	return heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT) >= RESERVE_BYTES;
}

bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	*memory = (CodeMemory){ heap_caps_malloc(textByteLength, EXECUTABLE), malloc(variablesByteLength) };
	const bool isThere = memory->text && memory->variables && leaves_enough();
	if (!isThere) {
		code_memory_free(memory, textByteLength, variablesByteLength);
		*memory = (CodeMemory){ NULL, NULL };
	}
	return isThere;
}

/* It is not cached: what has been written need only be complete before instructions are fetched (Xtensa ISA, ISYNC). */
bool code_memory_make_executable(const CodeMemory *memory, size_t textByteLength)
{
	(void)memory, (void)textByteLength;
#if CONFIG_IDF_TARGET_ARCH_XTENSA
	__asm__ volatile("memw\nisync" : : : "memory");
#endif
	return codeMemoryMachine != NULL;
}

void code_memory_free(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	(void)textByteLength, (void)variablesByteLength;
	free(memory->variables);
	heap_caps_free(memory->text);
}
