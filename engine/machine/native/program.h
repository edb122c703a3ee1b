/*
 * The program as in the board's flash: every module is evaluated once, frozen, and shared by the machines that run it
 * one after the other. It does not count as their memory.
 */
#ifndef SVC_PROGRAM_H
#define SVC_PROGRAM_H

#include "xsmc.h"

/*
 * The machine to clone; built anew if the text differs from the last one. Building runs the program's module scope; an
 * exception in it belongs to the run that called.
 */
xsMachine *program_machine(const char *text, size_t length);

/* A machine without an arena that has run all modules (boot_find_module), `main` last; ready to be cloned. */
xsMachine *program_new(xsCreation *creation);
void program_evaluate(xsMachine *program);

/*
 * The program and its clones have name tables of the same size: one in flash, and one in memory for each clone. A name is
 * told from others of its place by its hash, so that some eight of them in one cost less than a larger table.
 */
enum { NAME_MODULO = 251, SYMBOL_MODULO = 127 };

#endif
