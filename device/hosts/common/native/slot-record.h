/*
 * The record of the firmware slots as the program reads it (device/ports/firmware-slots.ts). Each host stores its own
 * record, in a file or for the board's boot loader.
 */
#ifndef SVC_SLOT_RECORD_H
#define SVC_SLOT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { PHASE_SETTLED, PHASE_STAGED, PHASE_TRIAL, PHASES } SlotPhase;

typedef enum {
	TRIAL_END_NONE,			/* no trial so far, or its end is unknown */
	TRIAL_END_CONFIRMED,
	TRIAL_END_CRASH,
	TRIAL_END_WATCHDOG,
	TRIAL_END_REBOOT,
	TRIAL_END_POWER_LOSS,
	TRIAL_END_TIMEOUT,
	TRIAL_END_DAMAGED,
	TRIAL_END_REPLACED,		/* no trial: what was confirmed is damaged, and the other image runs instead */
	TRIAL_ENDS
} TrialEnd;

typedef struct {
	SlotPhase phase;
	uint32_t trials;		/* images staged so far; staging an image again counts again */
	TrialEnd lastEnd;		/* of trial number `trials`; TRIAL_END_NONE unless it is settled */
} SlotRecord;

/* The current record. */
SlotRecord slot_record(void);

/* Whether the running image is in slot b, not in slot a. */
bool slot_b_is_running(void);

#endif
