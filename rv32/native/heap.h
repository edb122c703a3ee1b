/*
 * What the C library's heap is asked for, counted on the way (the linker puts these functions in the place of malloc()
 * and the others). While the root is made (root.h) everything comes out of it instead.
 */
#ifndef SVC_HEAP_H
#define SVC_HEAP_H

#include <stddef.h>

/* Bytes in use, as the heap has rounded them up; and the most that there were since heap_forget_peak(). */
size_t heap_used_bytes(void);
size_t heap_peak_bytes(void);
void heap_forget_peak(void);

#endif
