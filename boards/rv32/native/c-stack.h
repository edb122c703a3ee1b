/* The C stack of the machine's thread: what of it was ever used. */
#ifndef SVC_C_STACK_H
#define SVC_C_STACK_H

#include <stddef.h>

/* What is not used now counts as never used. */
void c_stack_paint(void);

/* The most that was used since then, in bytes. */
size_t c_stack_most_used(void);

#endif
