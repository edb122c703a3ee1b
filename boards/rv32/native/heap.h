/* Counts the allocations from the C library's heap (the linker replaces malloc() and the others by these functions). */
#ifndef SVC_HEAP_H
#define SVC_HEAP_H

#include <stddef.h>

/* The maximum of bytes in use since heap_forget_peak(), as rounded up by the heap. */
size_t heap_peak_bytes(void);
void heap_forget_peak(void);

#endif
