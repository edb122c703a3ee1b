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

/*
 * In bytes. An instruction has a fixed length, or an identifier, or a length of one, two or four bytes and its content.
 * The code of a function follows the instruction that makes it as if it were more instructions.
 */
txSize instruction_length(const txByte *at);

#endif
