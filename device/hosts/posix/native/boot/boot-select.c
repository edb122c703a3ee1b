/*
 * Runs only firmware with a valid seal of this console (boot-select.h). If the confirmed firmware has none, the other
 * one may run if it was confirmed before. If no copy of the record is valid, the seals tell which firmware was
 * confirmed last.
 */
#include "boot-select.h"

#include <stdio.h>
#include <string.h>

#include "slot-load.h"

/* The confirmation number in the seal if the slot matches the seal; 0: never confirmed. */
static uint32_t confirmation_of(Slot slot, uint32_t *securityVersion)
{
	LoadedSlot loaded = slot_load(slot, *securityVersion);
	firmware_image_free(&loaded.image);
	if (loaded.verdict != SLOT_LOADED || loaded.seal.confirmation == 0)
		return 0;
	*securityVersion = loaded.seal.securityVersion;
	return loaded.seal.confirmation;
}

/* The settled record, without trials, for the slot that was confirmed last; for slot a if none was. */
static BootRecord recover(void)
{
	BootRecord record = { 0 };
	const uint32_t a = confirmation_of(SLOT_A, &record.securityVersion);
	const uint32_t b = confirmation_of(SLOT_B, &record.securityVersion);
	if (a == 0 && b == 0)
		return record;
	record.confirmed = b > a ? SLOT_B : SLOT_A;
	fprintf(stderr, "console: no copy of the record of what boots holds: the firmware in slot %s, confirmed last, runs\n",
		slot_name(record.confirmed));
	(void)boot_record_save(&record);
	return record;
}

/* Also completes a confirmation that a power cut interrupted between record and seal. */
static BootRecord load_record(void)
{
	BootRecord record;
	SlotSeal seal;
	if (!boot_record_find(&record))
		return recover();
	if (record.phase == PHASE_SETTLED && record.lastEnd == TRIAL_END_CONFIRMED
			&& slot_seal_load(record.confirmed, false, &seal) && seal.confirmation == 0)
		(void)slot_seal_confirm(record.confirmed, record.sequence);
	return record;
}

bool boot_select_save(const BootRecord *record)
{
	int error = boot_record_save(record);
	if (error)
		fprintf(stderr, "console: cannot write the record of what boots: %s\n", strerror(-error));
	return error == 0;
}

static SlotVerdict load(BootSelection *selection, bool mustBeConfirmed, bool (*canRun)(const FirmwareImage *image))
{
	const BootChoice *choice = &selection->choice;
	LoadedSlot loaded = slot_load(choice->slot, choice->record.securityVersion);
	if (loaded.verdict == SLOT_LOADED && mustBeConfirmed && loaded.seal.confirmation == 0)
		loaded.verdict = SLOT_IS_NOT_VERIFIED;
	if (loaded.verdict == SLOT_LOADED && canRun && !canRun(&loaded.image))
		loaded.verdict = SLOT_IS_NOT_WHOLE;
	if (loaded.verdict != SLOT_LOADED)
		firmware_image_free(&loaded.image);
	selection->image = loaded.image;
	return loaded.verdict;
}

static BootSelection refuse(BootSelection selection)
{
	firmware_image_free(&selection.image);
	return selection;
}

/* The confirmed firmware must not run. */
static BootSelection select_other(BootSelection selection, SlotVerdict verdict, bool (*canRun)(const FirmwareImage *image))
{
	const char *damaged = slot_name(selection.choice.slot);
	selection.choice = boot_choose_other(selection.choice.record);
	if (load(&selection, true, canRun) != SLOT_LOADED) {
		fprintf(stderr, "console: the firmware in slot %s %s: flash it with --image FILE\n", damaged,
			slot_verdict_text(verdict));
		return refuse(selection);
	}
	fprintf(stderr, "console: the firmware in slot %s %s: that in slot %s, confirmed before it, runs instead\n", damaged,
		slot_verdict_text(verdict), slot_name(selection.choice.slot));
	return boot_select_save(&selection.choice.record) ? selection : refuse(selection);
}

BootSelection boot_select(RunEnd end, const Slot *lastSlot, bool (*canRun)(const FirmwareImage *image))
{
	BootSelection selection = { .found = load_record() };
	const BootRecord *found = &selection.found;
	const bool isRecorded = found->sequence > 0;		// otherwise only the seals tell what was confirmed
	selection.choice = boot_choose(*found, end, lastSlot ? *lastSlot : found->confirmed);
	if (selection.choice.isChanged && !boot_select_save(&selection.choice.record))
		return selection;
	const bool isTrial = selection.choice.record.phase == PHASE_TRIAL;
	SlotVerdict verdict = load(&selection, !isRecorded, canRun);
	if (verdict != SLOT_LOADED && isTrial) {
		selection.choice = boot_choose_after_damage(selection.choice.record);
		if (!boot_select_save(&selection.choice.record))
			return selection;
		verdict = load(&selection, false, canRun);
	}
	return verdict == SLOT_LOADED ? selection : select_other(selection, verdict, canRun);
}
