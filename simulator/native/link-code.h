/*
 * What a board's linker does to bytecode so that it runs where it is, in flash: names become identifiers of the
 * machine's, and no instruction copies code or text into the heap.
 */
#ifndef SVC_LINK_CODE_H
#define SVC_LINK_CODE_H

#include "xsAll.h"

/*
 * For a script whose names are not linked yet. Takes the names out of the script; their allocator frees them. The code
 * serves this machine and its clones alone, and must stay in place for as long as they run.
 */
void link_code(txMachine *the, txScript *script);

#endif
