/* What the maker needs of where it runs: in QEMU (boards/rv32/maker), or on the desktop (../desktop). */
#ifndef SVC_MAKER_H
#define SVC_MAKER_H

#include <stdbool.h>
#include <stddef.h>

/* Ends the run with a message. */
_Noreturn void maker_fail(const char *format, ...);

/* Whether the linker has placed this: code and constants, which the root refers to by their names. */
bool maker_is_linked(const void *address);

/* Writes a file of the root, or ends the run. */
void maker_write(const char *file, const void *bytes, size_t byteLength);

#endif
