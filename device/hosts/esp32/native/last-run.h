/* How the last run ended, as the chip reports it, and the crashes in a row that it belongs to (crash-row.h). */
#ifndef SVC_LAST_RUN_H
#define SVC_LAST_RUN_H

#include <stdbool.h>

#include "slot-record.h"

typedef struct {
	const char *resetReason;	/* a ResetReason of device/ports/system.ts, unless the slots have another */
	TrialEnd trialEnd;
} LastRun;

/* Call it once, at the start. */
LastRun last_run_read(void);

/*
 * Counts the last run among the crashes in a row, and begins the minute that ends a row.
 * @param wasTrial it was a trial of new firmware, which has its own rollback
 */
void last_run_count(LastRun run, bool wasTrial);

/* Whether this run is in safe mode. */
bool last_run_is_safe_mode(void);

/* The reset that comes now is a requested restart. */
void last_run_mark_restart(void);

#endif
