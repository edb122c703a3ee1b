/*
 * The record of the firmware slots (device/ports/firmware-slots.ts) on ESP-IDF's `otadata`. The phase is what the
 * boot loader goes by, its entries; what these have no room for is in notes, which are written before an entry
 * that says the same is erased. Slots are 0 and 1; functions return 0 or minus an errno.
 */
#ifndef SVC_OTA_RECORD_H
#define SVC_OTA_RECORD_H

#include "ota-entry.h"

typedef enum { OTA_SETTLED, OTA_STAGED, OTA_TRIAL, OTA_PHASES } OtaPhase;

typedef enum {
	OTA_END_NONE,
	OTA_END_CONFIRMED,
	OTA_END_CRASH,
	OTA_END_WATCHDOG,
	OTA_END_REBOOT,
	OTA_END_POWER_LOSS,
	OTA_END_TIMEOUT,
	OTA_END_DAMAGED,
	OTA_ENDS
} OtaEnd;

typedef struct {
	OtaPhase phase;
	uint32_t trials;
	OtaEnd lastEnd;			/* of trial number `trials`; OTA_END_NONE unless it is settled */
} OtaRecord;

/* What a start means for the slots. */
typedef enum { OTA_START_AS_BEFORE, OTA_START_UPDATE, OTA_START_ROLLBACK } OtaStart;

/*
 * Belongs before everything else at a start: notes how the last trial ended.
 * @param running the slot whose image runs
 * @param end how the run before ended, in the words for a trial
 */
OtaStart ota_record_start(int running, OtaEnd end);

OtaRecord ota_record_now(int running);

/* The other slot holds an image that is whole: it boots next, for one trial. */
int ota_record_stage(int running);

/* What was staged no longer is. Nothing to do unless something was. */
int ota_record_drop(int running);

/* Both -EPERM unless in trial. */
int ota_record_confirm(int running);
int ota_record_revert(int running);

#endif
