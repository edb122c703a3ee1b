/* The root in flash (root.h). */
#include "root.h"

#include <stdint.h>

#include "program.h"

/* From the linker (../root-assembly.ts). */
extern uint8_t __root_start[], __root_end[];

bool root_has(const void *block)
{
	return (const uint8_t *)block >= __root_start && (const uint8_t *)block < __root_end;
}

/* The machine to clone (program.h): the root starts with its address. */
xsMachine *program_machine(const char *text, size_t length)
{
	(void)text, (void)length;
	return *(xsMachine **)__root_start;
}
