/* Where native images run (native-image.h). Each host implements it. */
#ifndef SVC_CODE_MEMORY_H
#define SVC_CODE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory for an image. Code on some chips is in memory that is read and written by aligned words only, so that variables
 * are elsewhere; where machine code finds variables relative to itself, they follow it.
 */
typedef struct {
	uint8_t *text;				/* aligned to words; NULL: nowhere */
	uint8_t *variables;
} CodeMemory;

/*
 * What images are for, as compilers name it ("x86_64"; protocol/native-image.ts); NULL where none runs. The functions
 * below are called only where one does.
 */
extern const char *const codeMemoryMachine;

/* Memory that can be written now. @returns false where there is none; `text` is NULL then */
bool code_memory_allocate(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength);

/* From now on, its text is executed and read, and its variables are written and read. */
bool code_memory_make_executable(const CodeMemory *memory, size_t textByteLength);

/* Both lengths are those that it was allocated with. */
void code_memory_free(CodeMemory *memory, size_t textByteLength, size_t variablesByteLength);

#endif
