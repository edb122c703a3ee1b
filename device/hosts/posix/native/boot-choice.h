/*
 * Deciding what boots: a function of the record and of how the run before ended. It reads and writes nothing;
 * boot.c does what it says.
 */
#ifndef SVC_BOOT_CHOICE_H
#define SVC_BOOT_CHOICE_H

#include "boot-record.h"

/* How the run before ended. */
typedef enum {
	RUN_END_POWER_LOSS,		/* or there was none */
	RUN_END_RESTART,
	RUN_END_CRASH,
	RUN_END_WATCHDOG,
	RUN_END_TIMEOUT,		/* by the boot loader: a trial that was neither confirmed nor given up in time */
} RunEnd;

typedef struct {
	BootRecord record;			/* to be saved before anything runs, where its phase is another one */
	Slot slot;					/* whose image is to run */
	const char *resetReason;	/* that the program is told */
} BootChoice;

/* @param lastSlot whose image ran before; the confirmed one where that is not known */
BootChoice boot_choose(BootRecord record, RunEnd end, Slot lastSlot);

/* The image that was to go on trial is not whole. */
BootChoice boot_choose_after_damage(BootRecord record);

#endif
