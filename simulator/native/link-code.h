/*
 * What a board's linker does to bytecode so that it runs in place, in flash: names become identifiers of the machine,
 * and no instruction copies code or text into the heap.
 */
#ifndef SVC_LINK_CODE_H
#define SVC_LINK_CODE_H

#include "xsAll.h"

/*
 * For a script whose names are not linked yet. Removes the names from the script; their allocator frees them. The code
 * works only for this machine and its clones, and must stay in place while they run.
 */
void link_code(txMachine *the, txScript *script);

#endif
