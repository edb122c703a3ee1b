/* SVC_SIM_ARENA_KIB sets another heap size than a board's, to test low memory (arena-size.h). */
#include "arena-size.h"

#include <stdio.h>

#include "boot-loop.h"
#include "environment.h"

/* With less memory, a console cannot answer any request (host-tests/device/heap/arena-sizes.test.ts). */
enum { LEAST_ARENA_KIB = 72 };

unsigned long arena_size_kib(void)
{
	unsigned long kib = environment_number("SVC_SIM_ARENA_KIB", 1, BOARD_ARENA_KIB);
	if (kib < LEAST_ARENA_KIB) {
		fprintf(stderr, "console: a heap of %lu KiB is too small: it takes %d KiB\n", kib, LEAST_ARENA_KIB);
		boot_exit(2);
	}
	return kib;
}
