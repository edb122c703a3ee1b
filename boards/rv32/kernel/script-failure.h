/* Reports on standard error why a script cannot continue, and ends the run with status 1. */
#ifndef SVC_SCRIPT_FAILURE_H
#define SVC_SCRIPT_FAILURE_H

#include "script-reader.h"

/* The command failed. */
_Noreturn void script_fail(const Command *command, const char *problem);

/* The awaited output does not arrive: also reports what was awaited and what arrived instead. */
_Noreturn void script_fail_waiting(const Command *command, const char *problem);

#endif
