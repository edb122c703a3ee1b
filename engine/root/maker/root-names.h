/*
 * The names of the root, and their numbers there. The engine's own have the numbers of its header; the others follow, so
 * that the table of names has no gaps of names that only the maker used. Includes XS's own headers.
 */
#ifndef SVC_ROOT_NAMES_H
#define SVC_ROOT_NAMES_H

#include "xsAll.h"

/* Notes that the root uses the name. */
void root_names_use(txID id);
bool root_names_are_used(txID id);

/* Forgets all uses. */
void root_names_forget(void);

/* Once all uses are noted: gives each used name its number, and returns the number of the next. */
txID root_names_number(const txMachine *the);

/* The number of a used name in the root. */
txID root_name_number(txID id);

#endif
