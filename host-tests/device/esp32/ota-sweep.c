/*
 * The record of slots on an emulated `otadata`, with ESP-IDF's boot loader as its documentation tells it. Each story
 * runs once whole, then again for each operation on the flash with the power cut in its midst; after every start
 * the record is what it was before the step that was cut, or what it is after it. Prints what does not hold.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ota-flash.h"
#include "ota-record.h"

enum { NO_CUT = 1 << 30 };

static OtaEntry flash[OTA_SECTORS];
static OtaNotes notes;
static bool isWhole[2];			/* whether the slot's image is */
static int running;
static int operations, cutAt;
static jmp_buf powerIsGone;
static unsigned int tearing;
static int failures;

/* Counts an operation. @returns how much of `length` is done where power is cut in its midst, -1 where it is not */
static int tear(int length)
{
	return ++operations == cutAt ? (int)(tearing++ % (unsigned int)(length + 1)) : -1;
}

OtaEntry ota_flash_read(int sector)
{
	return flash[sector];
}

int ota_flash_erase(int sector)
{
	int torn = tear(sizeof(OtaEntry));
	memset(&flash[sector], 0xFF, torn < 0 ? sizeof(OtaEntry) : (size_t)torn);
	if (torn >= 0)
		longjmp(powerIsGone, 1);
	return 0;
}

/* Flash clears bits and sets none. */
static int program(void *into, const void *bytes, int length)
{
	int torn = tear(length);
	for (int index = 0; index < (torn < 0 ? length : torn); index++)
		((uint8_t *)into)[index] &= ((const uint8_t *)bytes)[index];
	if (torn >= 0)
		longjmp(powerIsGone, 1);
	return 0;
}

int ota_flash_write(int sector, const OtaEntry *entry)
{
	return program(&flash[sector], entry, sizeof(OtaEntry));
}

int ota_flash_label(int sector, const OtaEntry *entry)
{
	return program(flash[sector].label, entry->label, OTA_LABEL_BYTES);
}

int ota_flash_void(int sector)
{
	int torn = tear(1);
	if (torn != 0)
		flash[sector].checksum = 0;
	if (torn >= 0)
		longjmp(powerIsGone, 1);
	return 0;
}

OtaNotes ota_notes_load(void)
{
	return notes;
}

int ota_notes_save(const OtaNotes *saved)
{
	int torn = tear(1);
	if (torn != 0)
		notes = *saved;
	if (torn >= 0)
		longjmp(powerIsGone, 1);
	return 0;
}

static void rewrite_state(int sector, OtaState state)
{
	OtaEntry entry = flash[sector];
	entry.state = state;
	ota_flash_erase(sector);
	ota_flash_write(sector, &entry);
}

static bool is_as_at_first(const OtaEntry *entry)
{
	bool isNotToBoot = entry->sequence == UINT32_MAX || entry->state == OTA_INVALID || entry->state == OTA_ABORTED;
	return isNotToBoot && !ota_entry_is_whole(entry);
}

/* With no entry to go by it starts slot a, or the other one, and has an entry for that from then on. */
static void write_first_entry(void)
{
	OtaEntry entry = ota_entry_make((uint32_t)running + 1, 0, OTA_VALID);
	if (!is_as_at_first(&flash[0]) || !is_as_at_first(&flash[1]))
		return;
	memset(entry.label, 0xFF, sizeof(entry.label));
	ota_flash_erase(0);
	ota_flash_write(0, &entry);
}

/*
 * The boot loader: aborts what is pending, whatever its checksum, begins what is new, and starts another slot where
 * one is damaged.
 */
static void boot_loader(void)
{
	for (int sector = 0; sector < OTA_SECTORS; sector++) {
		if (flash[sector].state == OTA_PENDING)
			rewrite_state(sector, OTA_ABORTED);
	}
	int active = ota_entry_active(flash);
	if (active >= 0 && flash[active].state == OTA_NEW)
		rewrite_state(active, OTA_PENDING);
	running = active < 0 ? 0 : ota_entry_slot(&flash[active]);
	if (!isWhole[running])
		running = 1 - running;
	write_first_entry();
}

static OtaStart start(TrialEnd end)
{
	boot_loader();
	return ota_record_start(running, end);
}

/* Flashed with a cable: the program and `otadata` are new, and the notes are not. */
static OtaStart flash_by_cable(void)
{
	memset(flash, 0xFF, sizeof(flash));
	isWhole[0] = true;
	return start(TRIAL_END_POWER_LOSS);
}

typedef enum { STAGE, STAGE_DAMAGED, DROP, CONFIRM, REVERT, RESTART, CRASH, HANG, FLASH, DAMAGE } Step;

static const char *const STEPS[] = {
	"stage", "stage a damaged image", "drop", "confirm", "revert", "restart", "crash", "hang", "flash", "damage what runs",
};

static void take(Step step)
{
	switch (step) {
	case STAGE: isWhole[1 - running] = true; (void)ota_record_stage(running); break;
	case STAGE_DAMAGED: (void)ota_record_stage(running); isWhole[1 - running] = false; break;
	case DROP: (void)ota_record_drop(running); break;
	case CONFIRM: (void)ota_record_confirm(running); break;
	case REVERT: (void)ota_record_revert(running); break;
	case RESTART: (void)start(TRIAL_END_REBOOT); break;
	case CRASH: (void)start(TRIAL_END_CRASH); break;
	case HANG: (void)start(TRIAL_END_WATCHDOG); break;
	case DAMAGE: isWhole[running] = false; break;
	case FLASH:
		if (flash_by_cable() != OTA_START_AS_BEFORE)
			printf("what was flashed is taken for a rollback\n"), failures++;
		break;
	}
}

typedef struct {
	const char *name;
	Step steps[12];
	int count;
	SlotPhase phase;
	uint32_t trials;
	TrialEnd lastEnd;
	int running;
} Story;

#define STORY(...) { __VA_ARGS__ }, sizeof((Step[]){ __VA_ARGS__ }) / sizeof(Step)

static const Story STORIES[] = {
	{ "nothing", STORY(RESTART), PHASE_SETTLED, 0, TRIAL_END_NONE, 0 },
	{ "staged", STORY(STAGE), PHASE_STAGED, 1, TRIAL_END_NONE, 0 },
	{ "dropped", STORY(STAGE, DROP, RESTART), PHASE_SETTLED, 1, TRIAL_END_NONE, 0 },
	{ "in trial", STORY(STAGE, RESTART), PHASE_TRIAL, 1, TRIAL_END_NONE, 1 },
	{ "confirmed", STORY(STAGE, RESTART, CONFIRM), PHASE_SETTLED, 1, TRIAL_END_CONFIRMED, 1 },
	{ "confirmed for good", STORY(STAGE, RESTART, CONFIRM, CRASH, RESTART), PHASE_SETTLED, 1, TRIAL_END_CONFIRMED, 1 },
	{ "given up", STORY(STAGE, RESTART, REVERT), PHASE_SETTLED, 1, TRIAL_END_TIMEOUT, 1 },
	{ "given up and back", STORY(STAGE, RESTART, REVERT, RESTART), PHASE_SETTLED, 1, TRIAL_END_TIMEOUT, 0 },
	{ "crashed", STORY(STAGE, RESTART, CRASH, RESTART), PHASE_SETTLED, 1, TRIAL_END_CRASH, 0 },
	{ "hung", STORY(STAGE, RESTART, HANG), PHASE_SETTLED, 1, TRIAL_END_WATCHDOG, 0 },
	{ "restarted", STORY(STAGE, RESTART, RESTART), PHASE_SETTLED, 1, TRIAL_END_REBOOT, 0 },
	{ "damaged", STORY(STAGE_DAMAGED, RESTART, RESTART), PHASE_SETTLED, 1, TRIAL_END_DAMAGED, 0 },
	{ "staged over a dropped one", STORY(STAGE, DROP, STAGE, RESTART, CONFIRM), PHASE_SETTLED, 2, TRIAL_END_CONFIRMED, 1 },
	{ "failed, then better", STORY(STAGE, RESTART, CRASH, STAGE, RESTART, CONFIRM, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_CONFIRMED, 1 },
	{ "there and back", STORY(STAGE, RESTART, CONFIRM, STAGE, RESTART, CONFIRM, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_CONFIRMED, 0 },
	{ "back fails", STORY(STAGE, RESTART, CONFIRM, STAGE, RESTART, REVERT, RESTART, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_TIMEOUT, 1 },
	{ "back is damaged", STORY(STAGE, RESTART, CONFIRM, STAGE_DAMAGED, RESTART), PHASE_SETTLED, 2, TRIAL_END_DAMAGED, 1 },
	{ "three", STORY(STAGE, RESTART, CONFIRM, STAGE, DROP, STAGE, RESTART, CRASH, STAGE, RESTART, CONFIRM, HANG),
		PHASE_SETTLED, 4, TRIAL_END_CONFIRMED, 0 },
	{ "flashed", STORY(FLASH, RESTART), PHASE_SETTLED, 0, TRIAL_END_NONE, 0 },
	{ "flashed when staged", STORY(STAGE, FLASH, RESTART), PHASE_SETTLED, 1, TRIAL_END_NONE, 0 },
	{ "flashed in trial", STORY(STAGE, RESTART, FLASH, RESTART), PHASE_SETTLED, 1, TRIAL_END_NONE, 0 },
	{ "flashed once confirmed", STORY(STAGE, RESTART, CONFIRM, FLASH, RESTART), PHASE_SETTLED, 1, TRIAL_END_NONE, 0 },
	{ "flashed long after it was confirmed", STORY(STAGE, RESTART, CONFIRM, RESTART, FLASH),
		PHASE_SETTLED, 1, TRIAL_END_CONFIRMED, 0 },
	{ "flashed in trial, then updated", STORY(STAGE, RESTART, FLASH, STAGE, RESTART, CONFIRM, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_CONFIRMED, 1 },
	{ "flashed in trial, and the next one fails", STORY(STAGE, RESTART, FLASH, STAGE, RESTART, CRASH),
		PHASE_SETTLED, 2, TRIAL_END_CRASH, 0 },
	{ "damaged at first", STORY(DAMAGE, RESTART, RESTART), PHASE_SETTLED, 1, TRIAL_END_REPLACED, 1 },
	{ "damaged once confirmed", STORY(STAGE, RESTART, CONFIRM, DAMAGE, CRASH, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_REPLACED, 0 },
	{ "damaged after a failed update", STORY(STAGE, RESTART, CRASH, DAMAGE, RESTART, RESTART),
		PHASE_SETTLED, 2, TRIAL_END_REPLACED, 1 },
	{ "damaged, then updated", STORY(STAGE, RESTART, CONFIRM, DAMAGE, RESTART, STAGE, RESTART, CONFIRM, RESTART),
		PHASE_SETTLED, 3, TRIAL_END_CONFIRMED, 1 },
	{ "damaged, then the update fails", STORY(STAGE, RESTART, CONFIRM, DAMAGE, RESTART, STAGE, RESTART, CRASH),
		PHASE_SETTLED, 3, TRIAL_END_CRASH, 0 },
	{ "damaged twice", STORY(DAMAGE, RESTART, STAGE, DROP, DAMAGE, RESTART), PHASE_SETTLED, 3, TRIAL_END_REPLACED, 0 },
};

static bool is_same(SlotRecord one, SlotRecord other)
{
	return one.phase == other.phase && one.trials == other.trials && one.lastEnd == other.lastEnd;
}

static void fail(const Story *story, const char *what, SlotRecord record)
{
	if (failures++ < 20)
		printf("%s, cut at %d: %s: phase %d, trials %u, end %d, running %d\n", story->name, cutAt, what,
			record.phase, record.trials, record.lastEnd, running);
}

static void power_on_for_the_first_time(void)
{
	memset(flash, 0xFF, sizeof(flash));
	memset(&notes, 0, sizeof(notes));
	isWhole[0] = isWhole[1] = true;
	const int cut = cutAt;
	cutAt = NO_CUT;
	(void)start(TRIAL_END_POWER_LOSS);
	cutAt = cut;
	operations = 0;
}

/* What there is after a loss of power, where `record` would have been there without it. */
static SlotRecord after_power_loss(SlotRecord record, int *slot)
{
	if (record.phase == PHASE_STAGED) {
		*slot = 1 - *slot;
		return (SlotRecord){ PHASE_TRIAL, record.trials, TRIAL_END_NONE };
	}
	if (record.phase == PHASE_TRIAL) {
		*slot = 1 - *slot;
		return (SlotRecord){ PHASE_SETTLED, record.trials, TRIAL_END_POWER_LOSS };
	}
	return record;
}

/* Runs up to the cut. @returns how many steps were whole; `before` is what was there before the one that was not */
static int run(const Story *story, SlotRecord *before, int *slotBefore)
{
	volatile int done = 0;
	if (setjmp(powerIsGone))
		return done;
	for (; done < story->count; done++) {
		*before = ota_record_now(running);
		*slotBefore = running;
		take(story->steps[done]);
	}
	return done;
}

/*
 * The staging of trial n was lost: power failed while the boot loader wrote that the trial begins. The trial is
 * counted, the old slot runs, and its outcome is not reported, as for an image that was dropped.
 */
static bool is_lost_staging(SlotRecord before, SlotRecord found)
{
	return before.phase == PHASE_STAGED && found.phase == PHASE_SETTLED && found.trials == before.trials
		&& found.lastEnd == TRIAL_END_NONE;
}

static bool is_boot(Step step)
{
	return step == RESTART || step == CRASH || step == HANG || step == FLASH;
}

static void check_cut(const Story *story)
{
	SlotRecord before = { 0 }, after;
	int slotBefore = 0, slotAfter;
	power_on_for_the_first_time();
	int done = run(story, &before, &slotBefore);
	int cut = cutAt;
	Step step = story->steps[done];

	/* What the step would have led to, on the same flash: told from a run that is not cut. */
	OtaEntry tornFlash[OTA_SECTORS];
	OtaNotes tornNotes = notes;
	bool wasWhole[2] = { isWhole[0], isWhole[1] };
	memcpy(tornFlash, flash, sizeof(flash));
	cutAt = NO_CUT;
	power_on_for_the_first_time();
	for (int index = 0; index <= done; index++)
		take(story->steps[index]);
	after = ota_record_now(running);
	slotAfter = step == REVERT ? 1 - running : running;		// a trial that is given up runs on until then

	memcpy(flash, tornFlash, sizeof(flash));
	notes = tornNotes;
	isWhole[0] = wasWhole[0];
	isWhole[1] = wasWhole[1];
	cutAt = cut;
	operations = cut;		// past it: power stays on from here
	OtaStart how = start(TRIAL_END_POWER_LOSS);
	SlotRecord found = ota_record_now(running);
	if (step == FLASH && how != OTA_START_AS_BEFORE)
		fail(story, "what was flashed is taken for a rollback", found);

	if (!isWhole[running])
		fail(story, "what runs is damaged", found);
	if (found.trials < before.trials || found.trials > after.trials)
		fail(story, "the count is wrong", found);
	SlotRecord ifBefore = after_power_loss(before, &slotBefore), ifAfter = after_power_loss(after, &slotAfter);
	bool isBefore = is_same(found, ifBefore) && running == slotBefore;
	bool isAfter = is_same(found, ifAfter) && running == slotAfter;
	/* A start that is cut is one that a further start follows; what it was to note may be noted as the other. */
	bool isOtherEnd = is_boot(step) && found.phase == PHASE_SETTLED && found.lastEnd == TRIAL_END_POWER_LOSS
		&& running == slotAfter;
	bool isDamagedInStead = !isWhole[1 - running] && found.phase == PHASE_SETTLED
		&& (found.lastEnd == TRIAL_END_DAMAGED || found.lastEnd == TRIAL_END_POWER_LOSS);
	if (!isBefore && !isAfter && !isOtherEnd && !isDamagedInStead && !is_lost_staging(before, found))
		fail(story, STEPS[step], found);
	(void)start(TRIAL_END_REBOOT);
	SlotRecord later = ota_record_now(running);
	if (found.phase == PHASE_SETTLED && !is_same(found, later))
		fail(story, "what was settled has changed", later);
	if (ota_record_stage(running) != 0 || ota_record_now(running).phase != PHASE_STAGED)
		fail(story, "nothing can be staged any more", ota_record_now(running));
}

static void check_whole(const Story *story)
{
	SlotRecord before;
	int slot;
	cutAt = NO_CUT;
	power_on_for_the_first_time();
	(void)run(story, &before, &slot);
	SlotRecord record = ota_record_now(running);
	if (!is_same(record, (SlotRecord){ story->phase, story->trials, story->lastEnd }) || running != story->running)
		fail(story, "the story ends otherwise", record);
}

static void check_refusals(void)
{
	cutAt = NO_CUT;
	power_on_for_the_first_time();
	if (ota_record_confirm(running) == 0 || ota_record_revert(running) == 0 || ota_record_drop(running) != 0)
		printf("what is settled can be ended\n"), failures++;
	OtaEntry known = ota_entry_make(1, 0, OTA_NEW);
	if (known.checksum != 0x4743989A)
		printf("the checksum is not the boot loader's: %08X\n", (unsigned int)known.checksum), failures++;
}

int main(void)
{
	check_refusals();
	for (size_t index = 0; index < sizeof(STORIES) / sizeof(STORIES[0]); index++) {
		const Story *story = &STORIES[index];
		check_whole(story);
		const int last = operations;
		for (int repeat = 0; repeat < 40; repeat++) {
			for (int cut = 1; cut <= last; cut++) {
				tearing = (unsigned int)(repeat * 7 + cut);
				cutAt = cut;
				check_cut(story);
			}
		}
	}
	return failures > 0;
}
