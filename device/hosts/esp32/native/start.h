/* What happens at a start before the program runs, and what is known from then on. */
#ifndef SVC_START_H
#define SVC_START_H

#include "ota-record.h"

/* Whether the run is 0 or 1's: the slot whose image runs. */
int start_slot(void);

/* Why this run began: a ResetReason of device/ports/system.ts. */
const char *start_reset_reason(void);

/* End the run on request: the coming reset is no crash. */
_Noreturn void start_again(void);

#endif
