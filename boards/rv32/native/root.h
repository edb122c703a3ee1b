/*
 * The root: built-ins and program as in the board's flash, made once, at build time, by another executable: the maker.
 *
 *     build time   the maker runs the program's modules, freezes the resulting objects, links them (maker/root-linker.h)
 *                  and writes them to a file of the host, which becomes the section `.root` of the board
 *     power on     the machine is a clone of the root, which is write-protected (flash.h)
 *
 * The maker is the board and the files in `maker`. The board lacks what only the maker runs, so its functions have other
 * addresses; the root refers to them by name (builder/root-object.ts).
 */
#ifndef SVC_ROOT_H
#define SVC_ROOT_H

#include <stdbool.h>

/*
 * Makes the root and writes it to `file`, the offsets of its addresses of functions and constants to `referencesFile`,
 * and those of its addresses of itself to `pointersFile`. Only the maker has it.
 */
__attribute__((weak)) void root_make(const char *file, const char *referencesFile, const char *pointersFile);

/* For the allocator (heap.h): blocks of the root are not freed. */
bool root_has(const void *block);

#endif
