/*
 * The record of the firmware slots (device/ports/firmware-slots.ts) on ESP-IDF's `otadata`. The phase is what the
 * boot loader goes by, its entries; what these have no room for is in notes, which are written before an entry
 * that says the same is erased. Slots are 0 and 1; functions return 0 or minus an errno.
 */
#ifndef SVC_OTA_RECORD_H
#define SVC_OTA_RECORD_H

#include "ota-entry.h"
#include "slot-record.h"

/* What a start means for the slots. */
typedef enum { OTA_START_AS_BEFORE, OTA_START_UPDATE, OTA_START_ROLLBACK } OtaStart;

/*
 * Belongs before everything else at a start: notes how the last trial ended.
 * @param running the slot whose image runs
 * @param end how the run before ended, in the words for a trial
 */
OtaStart ota_record_start(int running, TrialEnd end);

SlotRecord ota_record_now(int running);

/* The other slot holds an image that is whole: it boots next, for one trial. */
int ota_record_stage(int running);

/* What was staged no longer is. Nothing to do unless something was. */
int ota_record_drop(int running);

/* Both -EPERM unless in trial. */
int ota_record_confirm(int running);
int ota_record_revert(int running);

#endif
