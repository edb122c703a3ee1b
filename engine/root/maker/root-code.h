/*
 * The bytecode of the root. A function's code lies inside the code of the function that makes it; once the outer one
 * cannot run any more, only the inner ones are kept. Includes XS's own headers.
 */
#ifndef SVC_ROOT_CODE_H
#define SVC_ROOT_CODE_H

#include "xsAll.h"

/* To be called with the code of each module, linked (link-code.h). The code must stay in place. */
void root_code_add(const txByte *code, txSize byteLength);

/* For the address of a function's code: notes that it can run. False if it is not the root's. */
bool root_code_use(const txByte *function);

/* Forgets all uses. */
void root_code_forget(void);

/* Calls `visit` with every identifier of code that can run. */
void root_code_names(void (*visit)(txID id));

/* Once all uses are noted: the length of the code that can run. */
size_t root_code_length(void);

/* Offset in that code; -1 for an address that is not in it. */
long root_code_offset(const void *address);

/* Writes the code that can run, in the order of these offsets, with other numbers of its identifiers. */
void root_code_write(uint8_t *to, txID (*number)(txID id));

#endif
