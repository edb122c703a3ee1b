/*
 * Copies an image's code and variables to where each runs, and adds to its addresses where that is. Hostile code is not kept
 * from anything in here: only what a key of role `native` has signed is loaded (docs/spec/aot.md#believed).
 */
#include "image-memory.h"

#include <string.h>

/* Lowest bit of a relocation, whose offset is even: the word holds the address of a variable. */
enum { OF_VARIABLE = 1 };

enum { WORD_BYTES = sizeof(uint32_t) };

/* The word of the file at that place, which need not be aligned. */
static uint32_t word_at(const uint8_t *bytes, size_t index)
{
	uint32_t word;
	memcpy(&word, bytes + index * WORD_BYTES, WORD_BYTES);
	return word;
}

static const uint8_t *relocations_of(const NativeLayout *image, const uint8_t *file)
{
	return file + image->textByteLength + image->dataByteLength;
}

static const uint8_t *functions_of(const NativeLayout *image, const uint8_t *file)
{
	return relocations_of(image, file) + (size_t)image->relocationCount * WORD_BYTES;
}

static size_t variable_bytes(const NativeLayout *image)
{
	return (size_t)image->dataByteLength + image->zeroByteLength;
}

/* By words, as memory for code may take no others; `volatile` keeps compilers from making a memcpy() of it. */
static void write_code(uint8_t *to, const uint8_t *from, size_t byteLength)
{
	volatile uint32_t *words = (volatile uint32_t *)(void *)to;
	for (size_t index = 0; index < byteLength / WORD_BYTES; index++)
		words[index] = word_at(from, index);
}

/* @returns false for a place where no address can be */
static bool relocate(CodeMemory *memory, const NativeLayout *image, const uint8_t *file, uint32_t relocation)
{
	const size_t textBytes = image->textByteLength, fileBytes = textBytes + image->dataByteLength;
	const size_t at = relocation & ~(uint32_t)OF_VARIABLE;
	uintptr_t value;
	if (fileBytes < sizeof(value) || at > fileBytes - sizeof(value))
		return false;
	memcpy(&value, file + at, sizeof(value));
	value += relocation & OF_VARIABLE ? (uintptr_t)memory->variables - textBytes : (uintptr_t)memory->text;
	if (at >= textBytes)
		memcpy(memory->variables + (at - textBytes), &value, sizeof(value));
	else if (at % WORD_BYTES == 0 && at + sizeof(value) <= textBytes)
		write_code(memory->text + at, (const uint8_t *)&value, sizeof(value));
	else
		return false;
	return true;
}

bool image_memory_allocate(CodeMemory *memory, const NativeLayout *image)
{
	return code_memory_allocate(memory, image->textByteLength, variable_bytes(image));
}

const char *image_memory_load(CodeMemory *memory, const NativeLayout *image, const uint8_t *file)
{
	if (image->textByteLength % WORD_BYTES != 0)
		return "the image's code does not end at a word";
	write_code(memory->text, file, image->textByteLength);
	memcpy(memory->variables, file + image->textByteLength, image->dataByteLength);
	memset(memory->variables + image->dataByteLength, 0, image->zeroByteLength);
	for (uint32_t index = 0; index < image->relocationCount; index++) {
		if (!relocate(memory, image, file, word_at(relocations_of(image, file), index)))
			return "the image has a relocation where no address can be";
	}
	return code_memory_make_executable(memory, image->textByteLength) ? NULL : "the image cannot be made executable";
}

void image_memory_free(CodeMemory *memory, const NativeLayout *image)
{
	if (!memory->text)
		return;
	code_memory_free(memory, image->textByteLength, variable_bytes(image));
	*memory = (CodeMemory){ NULL, NULL };
}

void *image_memory_at(const CodeMemory *memory, const NativeLayout *image, uint32_t offset)
{
	return offset < image->textByteLength ? memory->text + offset : memory->variables + (offset - image->textByteLength);
}

const char *image_memory_name_at(const NativeLayout *image, const uint8_t *file, size_t offset)
{
	enum { WORDS = 2 };
	const uint8_t *functions = functions_of(image, file);
	const char *names = (const char *)functions + (size_t)image->functionCount * WORDS * WORD_BYTES;
	uint32_t first = 0;
	for (uint32_t count = image->functionCount; count > 0; ) {		// first one that begins after the offset
		const uint32_t half = count / 2;
		const bool isAfter = word_at(functions, (first + half) * WORDS) > offset;
		first = isAfter ? first : first + half + 1;
		count = isAfter ? half : count - half - 1;
	}
	if (first == 0)
		return NULL;
	const uint32_t name = word_at(functions, (first - 1) * WORDS + 1);
	return name < image->namesByteLength && names[name] && names[image->namesByteLength - 1] == 0 ? names + name : NULL;
}
