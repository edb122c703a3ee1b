/* Makes a machine read-only, as preloading does on the board, for others to be cloned from it. */
#ifndef SVC_FREEZE_H
#define SVC_FREEZE_H

#include "xsmc.h"

/*
 * Freezes every object but the global one, and every variable that a function has kept; then shares the
 * machine. A program that changes its module scope at run time finds out here as it would on the board:
 * by a TypeError.
 */
void freeze_machine(xsMachine *the);

#endif
