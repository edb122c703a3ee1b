/* Makes a machine read-only, as preloading does on the board, so that other machines can be cloned from it. */
#ifndef SVC_FREEZE_H
#define SVC_FREEZE_H

#include "xsmc.h"

/*
 * Freezes every object but the global one, and every variable in a closure; then shares the machine. A program that
 * changes its module scope at run time fails as it would on the board: with a TypeError.
 */
void freeze_machine(xsMachine *the);

#endif
