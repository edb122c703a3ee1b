/*
 * The root: built-ins and program as in the board's flash, made once, at build time, by another executable: the maker.
 *
 *     build time   the maker runs the program's modules, freezes the resulting objects, links them (../maker/root-linker.h)
 *                  and writes them to a file, which becomes a section of the board
 *     power on     the machine is a clone of the root, which is in flash
 *
 * The maker is a program of the desktop (../make-root.ts), or an executable of the board itself (boards/rv32). The board's
 * functions have other addresses there than the maker's; the root refers to them by name (../root-assembly.ts).
 */
#ifndef SVC_ROOT_H
#define SVC_ROOT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the root for a flash in which it begins at `address`. Writes it to the file `root`, the offsets of its addresses of
 * functions and constants to `root-references`, and those of its addresses of itself to `root-pointers` (../maker/maker.h).
 * Only the maker has it.
 */
__attribute__((weak)) void root_make(uint32_t address);

/* For the allocator (heap.h): blocks of the root are not freed. */
bool root_has(const void *block);

#endif
