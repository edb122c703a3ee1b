/* Reports on standard error why a script cannot go on, before the run ends with status 1. */
#ifndef SVC_SCRIPT_FAILURE_H
#define SVC_SCRIPT_FAILURE_H

#include "script-reader.h"

/* The command cannot be done. */
_Noreturn void script_fail(const Command *command, const char *problem);

/* It waits for what does not come: also what was awaited, and what has come instead. */
_Noreturn void script_fail_waiting(const Command *command, const char *problem);

#endif
