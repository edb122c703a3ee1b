/* The C stack of the machine's thread, and its maximum depth. */
#ifndef SVC_C_STACK_H
#define SVC_C_STACK_H

#include <stddef.h>

/* Restarts the measurement. */
void c_stack_paint(void);

/* The maximum depth since then, in bytes. */
size_t c_stack_most_used(void);

#endif
