/*
 * The root: built-ins and program as the board has them in flash, made once, at build time, by this same executable.
 *
 *     build time   the section `.root` is empty: the program's modules run, what they leave is frozen and written to a
 *                  file of the host's, and that becomes the section
 *     power on     the machine is a clone of the root, which nothing can write to any more (flash.h)
 *
 * Both are one executable, so that what the root refers to, functions above all, is where it was.
 */
#ifndef SVC_ROOT_H
#define SVC_ROOT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the section holds a root. */
bool root_is_there(void);

/* Makes it, and writes it to `file`. */
void root_make(const char *file);

/* For the allocator (heap.h): whether this allocation is to come out of the root, and does. */
bool root_is_made(void);
void *root_allocate(size_t size);
void *root_reallocate(void *block, size_t size);
void root_free(void *block);
bool root_has(const void *block);

#endif
