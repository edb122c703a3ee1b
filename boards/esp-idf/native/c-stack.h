/* The stack of the machine's thread, whose end XS has to know: it throws a RangeError before it is reached. */
#ifndef SVC_C_STACK_H
#define SVC_C_STACK_H

#include <stddef.h>

/* Call it first in the machine's thread. */
void c_stack_begin(size_t byteLength);

#endif
