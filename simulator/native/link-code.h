/*
 * What a board's linker does to bytecode so that it runs where it is, in flash: names become identifiers of the
 * machine's, and no instruction copies code or text into the heap.
 */
#ifndef SVC_LINK_CODE_H
#define SVC_LINK_CODE_H

#include "xsAll.h"

/*
 * Of a script whose names are not linked yet; it has none any more, and whoever has allocated them frees them. Its code
 * is for this machine and its clones alone, and has to stay where it is for as long as they run.
 */
void link_code(txMachine *the, txScript *script);

#endif
