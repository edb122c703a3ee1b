/*
 * Deciding what boots: a function of the record and of how the run before ended. It reads and writes nothing;
 * boot.c acts on it.
 */
#ifndef SVC_BOOT_CHOICE_H
#define SVC_BOOT_CHOICE_H

#include <stdbool.h>

#include "boot-record.h"

/* How the run before ended. */
typedef enum {
	RUN_END_POWER_LOSS,		/* or there was none */
	RUN_END_RESTART,
	RUN_END_CRASH,
	RUN_END_OUTSIDE_CRASH,	/* while it worked on what the network had brought (outside-work.h) */
	RUN_END_WATCHDOG,
	RUN_END_TIMEOUT,		/* by the boot loader: a trial that was neither confirmed nor given up in time */
} RunEnd;

typedef struct {
	BootRecord record;
	bool isChanged;				/* the record is to be saved before anything runs */
	Slot slot;					/* whose image is to run */
	const char *resetReason;	/* reported to the program */
} BootChoice;

/* Starts that a trial gets again after crashes that the network may have provoked. */
enum { MAXIMUM_OUTSIDE_CRASHES = 3 };

/* @param lastSlot whose image ran before; the confirmed one where that is not known */
BootChoice boot_choose(BootRecord record, RunEnd end, Slot lastSlot);

/* The image that was to go on trial must not run. */
BootChoice boot_choose_after_damage(BootRecord record);

/* The confirmed image must not run: the one in the other slot, which was confirmed before, is the confirmed one now. */
BootChoice boot_choose_other(BootRecord record);

#endif
