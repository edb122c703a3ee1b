/*
 * Each change that the boot loader sees is a single word, or an entry written into an erased sector with its checksum
 * last (ota-record.h). A confirmation must erase the entry that it confirms. If power is cut at that moment, the trial
 * ends, as with a power cut at any other moment of a trial: the other sector still names the old slot.
 */
#include "ota-record.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "ota-flash.h"

typedef struct {
	OtaEntry entries[OTA_SECTORS];
	OtaNotes notes;
	int active;				/* of the entries, -1 where none counts */
	int last;				/* the entry of the last trial, -1 if it is gone */
	uint32_t trials;
} View;

static View read_view(void)
{
	View view = { .notes = ota_notes_load(), .last = -1 };
	view.trials = view.notes.trials;
	for (int sector = 0; sector < OTA_SECTORS; sector++) {
		view.entries[sector] = ota_flash_read(sector);
		uint32_t trial = ota_entry_trial(&view.entries[sector]);
		if (trial > view.trials)
			view.trials = trial;
	}
	for (int sector = 0; sector < OTA_SECTORS; sector++) {
		if (view.trials > 0 && ota_entry_trial(&view.entries[sector]) == view.trials)
			view.last = sector;
	}
	view.active = ota_entry_active(view.entries);
	return view;
}

static SlotPhase phase_of(const View *view, int running)
{
	const OtaEntry *entry = view->active < 0 ? NULL : &view->entries[view->active];
	if (entry && entry->state == OTA_PENDING && ota_entry_slot(entry) == running)
		return PHASE_TRIAL;
	if (entry && entry->state == OTA_NEW && ota_entry_slot(entry) != running)
		return PHASE_STAGED;
	return PHASE_SETTLED;
}

/*
 * How the last trial ended as far as its own entry shows, which does not include why the boot loader aborted it. The
 * boot loader also aborts a voided trial, without checking the checksum.
 */
static TrialEnd end_in_entry(const View *view)
{
	if (view->last < 0)
		return TRIAL_END_NONE;
	const OtaEntry *entry = &view->entries[view->last];
	bool isWhole = ota_entry_is_whole(entry);
	if (isWhole)
		return entry->state == OTA_VALID ? TRIAL_END_CONFIRMED : TRIAL_END_NONE;
	return entry->state == OTA_PENDING || entry->state == OTA_ABORTED ? TRIAL_END_TIMEOUT : TRIAL_END_NONE;
}

static TrialEnd end_of(const View *view)
{
	if (view->trials == 0)
		return TRIAL_END_NONE;
	return view->notes.ended == view->trials ? (TrialEnd)view->notes.end : end_in_entry(view);
}

static int save_note(View *view, bool hasBegun, TrialEnd end)
{
	OtaNotes notes = view->notes;
	notes.trials = view->trials;
	if (hasBegun)
		notes.tried = view->trials;
	if (end != TRIAL_END_NONE) {
		notes.ended = view->trials;
		notes.end = end;
	}
	if (memcmp(&notes, &view->notes, sizeof(notes)) == 0)
		return 0;
	view->notes = notes;
	return ota_notes_save(&notes);
}

/* The end of a trial that started and whose end is not recorded. */
static TrialEnd end_at_start(const View *view, TrialEnd end)
{
	TrialEnd found = end_in_entry(view);
	bool isAborted = view->last >= 0 && view->entries[view->last].state == OTA_ABORTED;
	// The trial was being confirmed or aborted: the entry that it would have replaced is there.
	bool isLost = view->last < 0 && view->active >= 0 && view->notes.tried == view->trials;
	return found != TRIAL_END_NONE ? found : isAborted || isLost ? end : TRIAL_END_NONE;
}

/* Forgets the trial of the notes, which has left no entry. */
static int forget_trial(View *view)
{
	OtaNotes notes = view->notes;
	if (view->last >= 0 || notes.ended == view->trials)
		return 0;
	notes.trials = notes.ended = view->trials;
	notes.end = TRIAL_END_NONE;
	view->notes = notes;
	return ota_notes_save(&notes);
}

/*
 * If no entry counts, the boot loader creates one without a label: at the first start, and after a user has flashed
 * the board with a cable, which erases entries but not notes. With a label, the notes are about this entry from now
 * on: if another entry is missing, it was lost in a trial.
 */
static void adopt_entry(View *view)
{
	OtaEntry *entry = view->active < 0 ? NULL : &view->entries[view->active];
	if (!entry || ota_entry_is_labelled(entry) || forget_trial(view) != 0)
		return;
	*entry = ota_entry_make(entry->sequence, 0, entry->state);
	(void)ota_flash_label(view->active, entry);
}

/* The next sequence number that names the slot. */
static uint32_t sequence_after(const View *view, int slot)
{
	uint32_t sequence = view->active < 0 ? 1 : view->entries[view->active].sequence + 1;
	return sequence + ((sequence - 1) % 2 != (uint32_t)slot);
}

/* Whether the boot loader found what was confirmed damaged, and has started the other image. */
static bool is_replaced(const View *view, int running)
{
	const OtaEntry *entry = view->active < 0 ? NULL : &view->entries[view->active];
	return entry && entry->state != OTA_NEW && entry->state != OTA_PENDING && ota_entry_slot(entry) != running;
}

/*
 * Makes what runs the confirmed image. Otherwise the entry would go on to name a slot that the next update writes: its
 * image would boot as confirmed, without a trial, if power were cut after its last byte. The notes come first, and
 * say that the entry is not of a trial.
 */
static void replace(View *view, int running)
{
	const bool isNoted = view->notes.ended == view->trials && view->notes.end == TRIAL_END_REPLACED;
	if (!isNoted)
		view->trials++;
	if (save_note(view, true, TRIAL_END_REPLACED) != 0)
		return;
	const int sector = 1 - view->active;
	const OtaEntry entry = ota_entry_make(sequence_after(view, running), view->trials, OTA_VALID);
	if (ota_flash_erase(sector) == 0)
		(void)ota_flash_write(sector, &entry);
}

OtaStart ota_record_start(int running, TrialEnd end)
{
	View view = read_view();
	adopt_entry(&view);
	if (phase_of(&view, running) == PHASE_TRIAL) {
		(void)save_note(&view, true, TRIAL_END_NONE);
		return OTA_START_UPDATE;
	}
	if (view.active >= 0 && view.entries[view.active].state == OTA_PENDING) {
		// The boot loader should have started the other slot but did not: its image is damaged.
		(void)save_note(&view, true, TRIAL_END_DAMAGED);
		(void)ota_flash_void(view.active);
		return OTA_START_ROLLBACK;
	}
	if (is_replaced(&view, running)) {
		replace(&view, running);
		return OTA_START_ROLLBACK;
	}
	if (view.trials == 0 || view.notes.ended == view.trials)
		return OTA_START_AS_BEFORE;
	TrialEnd found = end_at_start(&view, end);
	if (found != TRIAL_END_NONE)
		(void)save_note(&view, true, found);
	return found == TRIAL_END_NONE || found == TRIAL_END_CONFIRMED ? OTA_START_AS_BEFORE : OTA_START_ROLLBACK;
}

SlotRecord ota_record_now(int running)
{
	View view = read_view();
	SlotPhase phase = phase_of(&view, running);
	return (SlotRecord){ phase, view.trials, phase == PHASE_SETTLED ? end_of(&view) : TRIAL_END_NONE };
}

/* Writes the sector that the boot loader does not use. */
int ota_record_stage(int running)
{
	View view = read_view();
	int sector = view.active == 0 ? 1 : 0;
	OtaEntry entry = ota_entry_make(sequence_after(&view, 1 - running), view.trials + 1, OTA_NEW);
	int error = save_note(&view, false, end_of(&view));
	if (!error)
		error = ota_flash_erase(sector);
	if (!error)
		error = ota_flash_write(sector, &entry);
	if (error)
		return error;
	// The boot loader erases the entry when it records the start of the trial: the count must outlive that.
	view.trials++;
	(void)save_note(&view, false, TRIAL_END_NONE);
	return 0;
}

int ota_record_drop(int running)
{
	View view = read_view();
	return phase_of(&view, running) == PHASE_STAGED ? ota_flash_void(view.active) : 0;
}

int ota_record_confirm(int running)
{
	View view = read_view();
	if (phase_of(&view, running) != PHASE_TRIAL)
		return -EPERM;
	OtaEntry entry = view.entries[view.active];
	entry.state = OTA_VALID;
	int error = save_note(&view, true, TRIAL_END_NONE);
	if (!error)
		error = ota_flash_erase(view.active);
	return error ? error : ota_flash_write(view.active, &entry);
}

int ota_record_revert(int running)
{
	View view = read_view();
	return phase_of(&view, running) == PHASE_TRIAL ? ota_flash_void(view.active) : -EPERM;
}
