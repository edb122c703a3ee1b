/*
 * The boot loader's record of the slots, explained in device/ports/firmware-slots.ts. There are two copies,
 * DIR/slots/boot.a and DIR/slots/boot.b, each with a sequence number that grows with every change, a checksum, and a
 * code that only this console can create (device-secret.h). The newest valid copy counts. The older copy is written
 * first, so that a power cut leaves the old record or the new one, and then the other one, so that either copy may be
 * lost.
 */
#ifndef SVC_BOOT_RECORD_H
#define SVC_BOOT_RECORD_H

#include "sha256-of.h"
#include "slot-record.h"
#include "slot.h"

typedef struct {
	uint32_t sequence;					/* of this change; the caller of boot_record_encode increments it */
	uint32_t trials;					/* images staged so far; staging an image again counts again */
	uint32_t securityVersion;			/* of the firmware confirmed last; firmware below it is not started */
	Slot confirmed;						/* the slot that boots if nothing is staged; a trial runs from the other slot */
	SlotPhase phase;
	TrialEnd lastEnd;
	uint8_t outsideCrashes;				/* crashes of the trial while it handled network input */
	uint8_t flashed[SHA256_BYTES];		/* of the image that a programmer wrote last; zeros if none has */
} BootRecord;

enum { BOOT_RECORD_BYTES = 92, BOOT_RECORD_COPIES = 2 };

/* Names of the copies in STORAGE_SLOTS. */
extern const char *const boot_record_names[BOOT_RECORD_COPIES];

/* The record; the settled record for slot a, without trials, if no copy is valid. */
BootRecord boot_record_load(void);

/* @returns whether a copy is valid; otherwise the record is that of boot_record_load */
bool boot_record_find(BootRecord *record);

/*
 * The copies in the order in which a change writes them.
 * @returns the number of the next change
 */
uint32_t boot_record_order(int copies[BOOT_RECORD_COPIES]);

/* @returns 0 or minus an errno; on failure, the old record is still in place */
int boot_record_save(const BootRecord *record);

/* Encodes the file format. */
void boot_record_encode(const BootRecord *record, uint8_t bytes[BOOT_RECORD_BYTES]);

#endif
