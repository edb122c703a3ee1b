/* The stack of the program's machine once that runs no more: all that is needed of it are the built-ins at its top. */
#ifndef SVC_ROOT_STACK_H
#define SVC_ROOT_STACK_H

/* Moves them into the root. What else there was of the stack is free. */
void root_keep_built_ins(void *machine);

#endif
