/*
 * Where native images run on the board (device/wasm/native/code-memory.h). The memory of the ESP32 that holds instructions
 * is read and written by aligned words only (ESP32 TRM, "Embedded Memory"), so variables are in another; what of it the
 * firmware leaves is for images. Other chips of the family keep memory from being both written and executed.
 */
#include "code-memory.h"

#include "esp_heap_caps.h"
#include "sdkconfig.h"

#if CONFIG_IDF_TARGET_ESP32
const char *const codeMemoryMachine = "xtensa";
#else
const char *const codeMemoryMachine;
#endif

bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	*memory = (CodeMemory){ heap_caps_malloc(textByteLength, MALLOC_CAP_EXEC), NULL };
	if (!memory->text)
		return false;
	memory->variables = heap_caps_malloc(variablesByteLength, MALLOC_CAP_8BIT);
	if (memory->variables)
		return true;
	heap_caps_free(memory->text);
	memory->text = NULL;
	return false;
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
	heap_caps_free(memory->variables);
	heap_caps_free(memory->text);
}
