/*
 * The flash that ota-record.c works on: ota-flash.c has it on a board, and a test has one whose power can be cut.
 * Functions return 0 or minus an errno.
 */
#ifndef SVC_OTA_FLASH_H
#define SVC_OTA_FLASH_H

#include "ota-entry.h"

/* What has to outlive the entries, which are erased now and then. All zeros at first. */
typedef struct {
	uint32_t trials;		/* images staged so far; an entry may know of one more */
	uint32_t tried;			/* number of the trial that began last */
	uint32_t ended;			/* number of the trial whose end is known */
	uint32_t end;			/* how it ended: a TrialEnd; TRIAL_END_NONE where it can never be known */
} OtaNotes;

/* What cannot be read is as if it were erased. */
OtaEntry ota_flash_read(int sector);

int ota_flash_erase(int sector);

/* From its first byte to its last, into an erased sector: the checksum comes last. */
int ota_flash_write(int sector, const OtaEntry *entry);

/* Writes its label alone, into an entry that has none. */
int ota_flash_label(int sector, const OtaEntry *entry);

/* Clears the checksum: one word, of which the flash only clears bits. */
int ota_flash_void(int sector);

OtaNotes ota_notes_load(void);

/* In one step: a power cut leaves the old ones or the new ones. */
int ota_notes_save(const OtaNotes *notes);

#endif
