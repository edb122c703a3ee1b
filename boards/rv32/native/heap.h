/*
 * What the C library's heap is asked for, counted on the way (the linker puts these functions in the place of malloc()
 * and the others). While the root is made (root.h) everything comes out of it instead.
 */
#ifndef SVC_HEAP_H
#define SVC_HEAP_H

#include <stddef.h>

/* The most bytes that were in use since heap_forget_peak(), as the heap has rounded them up. */
size_t heap_peak_bytes(void);
void heap_forget_peak(void);

#endif
