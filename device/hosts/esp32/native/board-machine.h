/* The management machine on a board: the Moddable SDK makes and runs it, in a task of its own. */
#ifndef SVC_BOARD_MACHINE_H
#define SVC_BOARD_MACHINE_H

#include "machine.h"

/* From here on `machine` is that machine, and its task the one whose load is reported. Call on that task. */
void board_machine_open(xsMachine *the);

#endif
