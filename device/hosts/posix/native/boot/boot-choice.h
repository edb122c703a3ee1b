/*
 * Decides what boots: a pure function of the record and of how the last run ended. boot-select.c carries the decision
 * out.
 */
#ifndef SVC_BOOT_CHOICE_H
#define SVC_BOOT_CHOICE_H

#include <stdbool.h>

#include "boot-record.h"

/* How the last run ended. */
typedef enum {
	RUN_END_POWER_LOSS,		/* or there was no run */
	RUN_END_RESTART,
	RUN_END_CRASH,
	RUN_END_OUTSIDE_CRASH,	/* crash while it handled network input (outside-work.h) */
	RUN_END_WATCHDOG,
	RUN_END_TIMEOUT,		/* ended by the boot loader: a trial that was neither confirmed nor reverted in time */
} RunEnd;

typedef struct {
	BootRecord record;
	bool isChanged;				/* the record must be saved before anything runs */
	Slot slot;					/* the slot whose image is to run */
	const char *resetReason;	/* reported to the program */
} BootChoice;

/* Further starts of a trial after crashes that network input may have caused. */
enum { MAXIMUM_OUTSIDE_CRASHES = 3 };

/* @param lastSlot whose image ran before; the confirmed slot if unknown */
BootChoice boot_choose(BootRecord record, RunEnd end, Slot lastSlot);

/* The image that was to go on trial must not run. */
BootChoice boot_choose_after_damage(BootRecord record);

/*
 * The confirmed image must not run: the image in the other slot, which was confirmed before it, becomes the confirmed
 * one.
 */
BootChoice boot_choose_other(BootRecord record);

#endif
