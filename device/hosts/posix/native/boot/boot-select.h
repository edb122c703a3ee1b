/*
 * Taking the firmware that runs next: what boot-choice.h decides, done with the record, the seals and the slots. The
 * same for every host whose boot loader is ours.
 */
#ifndef SVC_BOOT_SELECT_H
#define SVC_BOOT_SELECT_H

#include "boot-choice.h"
#include "firmware-image.h"

typedef struct {
	BootRecord found;		/* as the run before has left it */
	BootChoice choice;
	FirmwareImage image;	/* empty where nothing may run, as reported on standard error */
} BootSelection;

/*
 * @param lastSlot whose image ran before; NULL where that is not known
 * @param canRun whether a verified image is one for this host; NULL: each is
 */
BootSelection boot_select(RunEnd end, const Slot *lastSlot, bool (*canRun)(const FirmwareImage *image));

/* @returns whether it is saved; a failure is reported on standard error */
bool boot_select_save(const BootRecord *record);

#endif
