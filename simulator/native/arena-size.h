/* How large the heap of the management machine is, in KiB of a board (slots of 16 bytes). */
#ifndef SVC_ARENA_SIZE_H
#define SVC_ARENA_SIZE_H

enum { BOARD_ARENA_KIB = 128 };

/* Ends the process with a message and status 2 where that is less than a console starts with. */
unsigned long arena_size_kib(void);

#endif
