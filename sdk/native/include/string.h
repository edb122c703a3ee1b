/* Of the C library, what an image uses: its own (../image.c), which has the console do it. */
#ifndef SVC_IMAGE_STRING_H
#define SVC_IMAGE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);

#endif
