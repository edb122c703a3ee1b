/* The start before the program runs, and facts that are known from then on. */
#ifndef SVC_START_H
#define SVC_START_H

#include <stdbool.h>

#include "ota-record.h"

/*
 * Starts what the program finds running: the trial's timer, the network, the file system, pins and display.
 * @returns false if the file system cannot be mounted
 */
bool start_run(int confirmTimeoutSeconds);

/* The slot whose image runs: 0 or 1. */
int start_slot(void);

/* Why this run started: a ResetReason of device/ports/system.ts. */
const char *start_reset_reason(void);

/* The next requested restart ends in the chip's loader. @returns false if it cannot */
bool start_select_loader(void);

/* Restarts on request: the reset does not count as a crash. */
_Noreturn void start_again(void);

#endif
