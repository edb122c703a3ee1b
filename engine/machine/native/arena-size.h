/* Size of the management machine's heap, in KiB of a board (slots of 16 bytes). */
#ifndef SVC_ARENA_SIZE_H
#define SVC_ARENA_SIZE_H

enum { BOARD_ARENA_KIB = 128 };

/* Exits with a message and status 2 if the size is too small for a console to start. */
unsigned long arena_size_kib(void);

#endif
