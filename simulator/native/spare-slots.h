/* Slots that are free, for chunks to have. XS itself keeps what it has once taken for slots. */
#ifndef SVC_SPARE_SLOTS_H
#define SVC_SPARE_SLOTS_H

#include <stddef.h>

/*
 * Gives free slots back to the arena, `mostBytes` of them at the most: those that lie where chunks can grow, up to the
 * first one that is in use. Walks the list of the free ones. The machine is void here: see heap-figures.h.
 */
void spare_slots_return(void *machine, size_t mostBytes);

#endif
