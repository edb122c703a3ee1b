/*
 * The program as the board has it in flash: every module evaluated once, frozen, and shared by the
 * machines that run it one after the other. Nothing of it counts as their memory.
 */
#ifndef SVC_PROGRAM_H
#define SVC_PROGRAM_H

#include "xsmc.h"

/*
 * The machine to clone, made anew when the program is another text than last time. The program's module scope
 * runs in here; an exception in it is one of the run that asked.
 */
xsMachine *program_machine(const char *text, size_t length);

/* A machine without an arena; and that it runs the modules that there are (boot_find_module), `main` last, to be cloned. */
xsMachine *program_new(xsCreation *creation);
void program_evaluate(xsMachine *program);

/* Tables of names have one size in the program and in its clones. */
enum { NAME_MODULO = 1993, SYMBOL_MODULO = 127 };

#endif
