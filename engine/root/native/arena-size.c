/* The board's heap has a fixed size (arena-size.h). */
#include "arena-size.h"

unsigned long arena_size_kib(void)
{
	return BOARD_ARENA_KIB;
}
