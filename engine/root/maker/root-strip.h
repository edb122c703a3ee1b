/*
 * Built-ins that nothing can call are left out of the root, so that the board's linker leaves out their functions.
 *
 * A built-in is called by name: by bytecode, by a property whose name is one of the program's texts, or by C, which
 * looks up what `mentioned-names.ts` finds. Other names are not defined on the board: a name that is computed at run time
 * gives `undefined`, and a call of it a TypeError. Includes XS's own headers.
 */
#ifndef SVC_ROOT_STRIP_H
#define SVC_ROOT_STRIP_H

#include "xsAll.h"

/* Generated: ends with XS_NO_ID, and with NULL. */
extern const txID engineNames[];
extern const char *const hostNames[];

/*
 * To be called with the pieces of the root (root-pieces.h).
 * @param isMentioned of each name, by bytecode
 */
void root_strip(txMachine *the, bool *isMentioned);

#endif
