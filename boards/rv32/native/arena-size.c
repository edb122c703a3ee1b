/* The board's heap is as large as it is (arena-size.h). */
#include "arena-size.h"

unsigned long arena_size_kib(void)
{
	return BOARD_ARENA_KIB;
}
