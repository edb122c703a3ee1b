/*
 * The root: built-ins and program as in the board's flash, made once, at build time, by this executable itself.
 *
 *     build time   the section `.root` is empty: the program's modules run, the resulting objects are frozen, linked
 *                  (root-linker.h) and written to a file of the host, which becomes the section
 *     power on     the machine is a clone of the root, which is write-protected (flash.h)
 *
 * Both are the same executable, so that addresses in the root, above all of functions, stay valid.
 */
#ifndef SVC_ROOT_H
#define SVC_ROOT_H

#include <stdbool.h>

/* Whether the section holds a root. */
bool root_is_there(void);

/* Makes the root and writes it to `file`. */
void root_make(const char *file);

/* For the allocator (heap.h): blocks of the root are not freed. */
bool root_has(const void *block);

#endif
