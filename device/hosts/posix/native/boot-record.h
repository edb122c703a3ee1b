/*
 * What the boot loader keeps of the slots in DIR/slots/boot: device/ports/firmware-slots.ts tells what it means.
 * It is replaced in one step, so that a power cut leaves the old record or the new one.
 */
#ifndef SVC_BOOT_RECORD_H
#define SVC_BOOT_RECORD_H

#include "sha256-of.h"
#include "slot-record.h"
#include "slot.h"

typedef struct {
	uint32_t trials;					/* images staged so far; one that is staged again counts again */
	Slot confirmed;						/* what boots where nothing is staged; a trial is of the other one */
	SlotPhase phase;
	TrialEnd lastEnd;
	uint8_t flashed[SHA256_BYTES];		/* of the image that a programmer wrote last; zeros where none has */
} BootRecord;

enum { BOOT_RECORD_BYTES = 80 };

#define BOOT_RECORD_NAME "boot"

/* The record; settled in slot a, without trials, where there is none that is whole. */
BootRecord boot_record_load(void);

/* @returns 0 or minus an errno: then the old one still stands */
int boot_record_save(const BootRecord *record);

/* As it stands in the file. */
void boot_record_encode(const BootRecord *record, uint8_t bytes[BOOT_RECORD_BYTES]);

#endif
