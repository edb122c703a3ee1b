/* The stack of the program's machine after the program has run: only the built-ins at its top are needed. */
#ifndef SVC_ROOT_STACK_H
#define SVC_ROOT_STACK_H

/* Moves them into the root. The rest of the stack is free. */
void root_keep_built_ins(void *machine);

#endif
