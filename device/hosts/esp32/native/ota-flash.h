/*
 * The flash for ota-record.c: on a board, ota-flash.c; in a test, a flash whose power can be cut. Functions return 0
 * or minus an errno.
 */
#ifndef SVC_OTA_FLASH_H
#define SVC_OTA_FLASH_H

#include "ota-entry.h"

/* Data that must outlive the entries, which are erased from time to time. Initially all zeros. */
typedef struct {
	uint32_t trials;		/* images staged so far; an entry may record one more */
	uint32_t tried;			/* number of the trial that started last */
	uint32_t ended;			/* number of the trial whose end is known */
	uint32_t end;			/* how it ended: a TrialEnd; TRIAL_END_NONE if it can never be known */
} OtaNotes;

/* An unreadable entry is returned as erased. */
OtaEntry ota_flash_read(int sector);

int ota_flash_erase(int sector);

/* Writes from the first byte to the last, into an erased sector, so the checksum comes last. */
int ota_flash_write(int sector, const OtaEntry *entry);

/* Writes only the label, into an entry without one. */
int ota_flash_label(int sector, const OtaEntry *entry);

/* Clears the checksum: one word, of which the flash only clears bits. */
int ota_flash_void(int sector);

OtaNotes ota_notes_load(void);

/* Atomic: a power cut leaves the old notes or the new ones. */
int ota_notes_save(const OtaNotes *notes);

#endif
