/* Returns free slots for use as chunks. XS itself never shrinks its slots. */
#ifndef SVC_SPARE_SLOTS_H
#define SVC_SPARE_SLOTS_H

#include <stddef.h>

/*
 * Returns up to `mostBytes` of free slots to the arena: those next to the gap, up to the first slot in use. Walks the
 * list of free slots. The machine is a void pointer, as in heap-figures.h.
 */
void spare_slots_return(void *machine, size_t mostBytes);

#endif
