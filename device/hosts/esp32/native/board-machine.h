/* The management machine on a board: the Moddable SDK creates it and runs it in its own task. */
#ifndef SVC_BOARD_MACHINE_H
#define SVC_BOARD_MACHINE_H

#include "machine.h"

/* Sets `machine`, and reports the load of the calling task from now on. Call it on the machine's task. */
void board_machine_open(xsMachine *the);

#endif
