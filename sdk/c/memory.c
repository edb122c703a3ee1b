/*
 * What the compiler calls by itself, for example to copy a struct (C11 7.24). It is linked into every app
 * in C, where the linker leaves out what nothing calls.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int value, size_t length);
int memcmp(const void *left, const void *right, size_t length);

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	return memmove(to, from, length);
}

void *memmove(void *to, const void *from, size_t length)
{
	uint8_t *target = to;
	const uint8_t *source = from;
	if (target < source)
		for (size_t i = 0; i < length; i++)
			target[i] = source[i];
	else
		for (size_t i = length; i > 0; i--)
			target[i - 1] = source[i - 1];
	return to;
}

void *memset(void *to, int value, size_t length)
{
	uint8_t *target = to;
	for (size_t i = 0; i < length; i++)
		target[i] = (uint8_t)value;
	return to;
}

int memcmp(const void *left, const void *right, size_t length)
{
	const uint8_t *a = left, *b = right;
	for (size_t i = 0; i < length; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}
