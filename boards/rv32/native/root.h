/*
 * The root: built-ins and program as in the board's flash, made once, at build time, by this executable itself.
 *
 *     build time   the section `.root` is empty: the program's modules run, the resulting objects are frozen and written
 *                  to a file of the host, which becomes the section
 *     power on     the machine is a clone of the root, which is write-protected (flash.h)
 *
 * Both are the same executable, so that addresses in the root, above all of functions, stay valid.
 */
#ifndef SVC_ROOT_H
#define SVC_ROOT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the section holds a root. */
bool root_is_there(void);

/* Makes the root and writes it to `file`. */
void root_make(const char *file);

/* For the allocator (heap.h): whether this allocation must come from the root. */
bool root_is_made(void);
void *root_allocate(size_t size);
void *root_reallocate(void *block, size_t size);
void root_free(void *block);
bool root_has(const void *block);

#endif
