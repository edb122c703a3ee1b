/*
 * Selects the firmware to run next: the decision of boot-choice.h, carried out on the record, the seals and the slots.
 * Shared by all hosts with our boot loader.
 */
#ifndef SVC_BOOT_SELECT_H
#define SVC_BOOT_SELECT_H

#include "boot-choice.h"
#include "firmware-image.h"

typedef struct {
	BootRecord found;		/* as the last run left it */
	BootChoice choice;
	FirmwareImage image;	/* empty if nothing may run, which is reported on standard error */
} BootSelection;

/*
 * @param lastSlot whose image ran before; NULL if unknown
 * @param canRun whether a verified image is for this host; NULL: all are
 */
BootSelection boot_select(RunEnd end, const Slot *lastSlot, bool (*canRun)(const FirmwareImage *image));

/* @returns whether the record is saved; a failure is reported on standard error */
bool boot_select_save(const BootRecord *record);

#endif
