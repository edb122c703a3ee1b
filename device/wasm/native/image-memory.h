/* Loads a native image from its file into memory (docs/spec/aot.md#container). */
#ifndef SVC_IMAGE_MEMORY_H
#define SVC_IMAGE_MEMORY_H

#include "code-memory.h"

/* Where the parts of a native image are (protocol/native-image.ts). */
typedef struct {
	uint32_t textByteLength;
	uint32_t dataByteLength;
	uint32_t zeroByteLength;
	uint32_t relocationCount;
	uint32_t functionCount;
	uint32_t namesByteLength;
	uint32_t entryOffset;
	uint32_t limitOffset;
	uint32_t frameBytes;
} NativeLayout;

/* @returns false where there is no memory for it; `memory` is to be freed in any case */
bool image_memory_allocate(CodeMemory *memory, const NativeLayout *image);

/* `file` begins with the code, and is as long as `image` says. @returns NULL, or why it cannot be loaded */
const char *image_memory_load(CodeMemory *memory, const NativeLayout *image, const uint8_t *file);

void image_memory_free(CodeMemory *memory, const NativeLayout *image);

/* What an offset in the image names, in its code or its variables. */
void *image_memory_at(const CodeMemory *memory, const NativeLayout *image, uint32_t offset);

/* The name of the app's function that the offset is in; NULL where it is in none. */
const char *image_memory_name_at(const NativeLayout *image, const uint8_t *file, size_t offset);

#endif
