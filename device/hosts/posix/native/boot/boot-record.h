/*
 * What the boot loader keeps of the slots: device/ports/firmware-slots.ts explains it. It stands twice, in
 * DIR/slots/boot.a and DIR/slots/boot.b, each with a number that grows with every change, a checksum, and a code that
 * only this console can have made (device-secret.h). The newest copy that holds counts. The older copy is written
 * first, so that a power cut leaves the old record or the new one, and then the other one, so that either may be lost.
 */
#ifndef SVC_BOOT_RECORD_H
#define SVC_BOOT_RECORD_H

#include "sha256-of.h"
#include "slot-record.h"
#include "slot.h"

typedef struct {
	uint32_t sequence;					/* of this change; boot_record_encode's caller counts it */
	uint32_t trials;					/* images staged so far; one that is staged again counts again */
	uint32_t securityVersion;			/* of the firmware confirmed last: nothing below it is started */
	Slot confirmed;						/* what boots where nothing is staged; a trial is of the other one */
	SlotPhase phase;
	TrialEnd lastEnd;
	uint8_t outsideCrashes;				/* of the trial, while it worked on what the network had brought */
	uint8_t flashed[SHA256_BYTES];		/* of the image that a programmer wrote last; zeros where none has */
} BootRecord;

enum { BOOT_RECORD_BYTES = 92, BOOT_RECORD_COPIES = 2 };

/* Names of the copies in STORAGE_SLOTS. */
extern const char *const boot_record_names[BOOT_RECORD_COPIES];

/* The record; settled in slot a, without trials, where no copy holds. */
BootRecord boot_record_load(void);

/* @returns whether there is a copy that holds; else the record is as boot_record_load has it */
bool boot_record_find(BootRecord *record);

/* The copies in the order in which a change writes them. @returns the number of the change to come */
uint32_t boot_record_order(int copies[BOOT_RECORD_COPIES]);

/* @returns 0 or minus an errno: then the old one is still in place */
int boot_record_save(const BootRecord *record);

/* Encodes the file format. */
void boot_record_encode(const BootRecord *record, uint8_t bytes[BOOT_RECORD_BYTES]);

#endif
