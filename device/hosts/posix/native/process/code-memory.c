/* Where native images run on a desktop (device/wasm/native/code-memory.h). */
#include "code-memory.h"

#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
const char *const codeMemoryMachine = "x86_64";
#else
const char *const codeMemoryMachine;
#endif

bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	const size_t byteLength = textByteLength + variablesByteLength;
	void *text = mmap(NULL, byteLength, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const bool isThere = text != MAP_FAILED;
	*memory = (CodeMemory){ isThere ? text : NULL, isThere ? (uint8_t *)text + textByteLength : NULL };
	return isThere;
}

/* The linker's script puts variables on a page of their own. */
bool code_memory_make_executable(const CodeMemory *memory, size_t textByteLength)
{
	const bool isWholePages = textByteLength % (size_t)sysconf(_SC_PAGESIZE) == 0;
	return isWholePages && mprotect(memory->text, textByteLength, PROT_READ | PROT_EXEC) == 0;
}

void code_memory_free(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength)
{
	munmap(memory->text, textByteLength + variablesByteLength);
}
