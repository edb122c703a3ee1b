/* XS finds its built-ins by their distance from the top of the stack (root-stack.h). Includes XS's own headers. */
#include "xsAll.h"

#include "root-stack.h"
#include "root.h"

void root_keep_built_ins(void *machine)
{
	txMachine *the = machine;
	const size_t count = the->stackTop - the->stack;
	txSlot *kept = root_allocate(count * sizeof(txSlot));
	c_memcpy(kept, the->stack, count * sizeof(txSlot));
	the->stackBottom = the->stack = kept;
	the->stackTop = the->stackPrototypes = kept + count;
}
