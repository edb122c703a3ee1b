/*
 * What ESP-IDF's boot loader reads to choose a slot: one entry at the start of each of the two sectors of the
 * partition `otadata`. The entry with the highest sequence number counts, unless its checksum is wrong or its
 * state says that it is not to boot; slot a has the odd numbers, slot b the even ones. Where neither entry
 * counts slot a boots.
 *
 *                        the boot loader                    ota-record.c
 *     NEW -----------------------------------> PENDING --------------------> VALID
 *                                                 |
 *                                                 `------ the boot loader -> ABORTED
 *
 * The boot loader leaves the label alone. Ours says which trial the entry belongs to, so that staging an image
 * and counting it are one step. An entry is voided by clearing its checksum: that is one word in flash, for
 * which nothing has to be erased, and the label stays.
 */
#ifndef SVC_OTA_ENTRY_H
#define SVC_OTA_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

enum { OTA_SECTORS = 2, OTA_LABEL_BYTES = 20 };

typedef enum { OTA_NEW, OTA_PENDING, OTA_VALID, OTA_INVALID, OTA_ABORTED } OtaState;

/* The format in flash: esp_ota_select_entry_t. */
typedef struct {
	uint32_t sequence;
	uint8_t label[OTA_LABEL_BYTES];
	uint32_t state;			/* an OtaState; all ones: none */
	uint32_t checksum;		/* of the sequence number alone */
} OtaEntry;

/* @param trial from 1; 0: no trial */
OtaEntry ota_entry_make(uint32_t sequence, uint32_t trial, OtaState state);

/* Number of the trial that the entry was written for, 0 if it belongs to none. */
uint32_t ota_entry_trial(const OtaEntry *entry);

/* Whether it has our label; entries that the boot loader creates have none. */
bool ota_entry_is_labelled(const OtaEntry *entry);

/* Whether its checksum is right; that of a voided, torn or erased entry is not. */
bool ota_entry_is_whole(const OtaEntry *entry);

/* The slot of the entry: 0 or 1. */
int ota_entry_slot(const OtaEntry *entry);

/* Index of the entry that the boot loader uses, -1 if there is none. */
int ota_entry_active(const OtaEntry entries[OTA_SECTORS]);

#endif
