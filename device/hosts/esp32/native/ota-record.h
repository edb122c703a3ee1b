/*
 * The record of the firmware slots (device/ports/firmware-slots.ts) over ESP-IDF's `otadata`. The entries that the
 * boot loader uses hold the phase; other data is in notes, which are written before an entry with the same data is
 * erased. Slots are 0 and 1; functions return 0 or minus an errno.
 */
#ifndef SVC_OTA_RECORD_H
#define SVC_OTA_RECORD_H

#include "ota-entry.h"
#include "slot-record.h"

/* What a start means for the slots. */
typedef enum { OTA_START_AS_BEFORE, OTA_START_UPDATE, OTA_START_ROLLBACK } OtaStart;

/*
 * Call it first at a start: records how the last trial ended.
 * @param running the slot whose image runs
 * @param end how the last run ended, as the end of a trial
 */
OtaStart ota_record_start(int running, TrialEnd end);

SlotRecord ota_record_now(int running);

/* The other slot holds an intact image, which boots next, for one trial. */
int ota_record_stage(int running);

/* Drops a staged image; no-op if there is none. */
int ota_record_drop(int running);

/* Both return -EPERM unless in trial. */
int ota_record_confirm(int running);
int ota_record_revert(int running);

#endif
