/* The boot loader's loop (boot.h). */
#include "boot.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot-loop.h"
#include "boot-select.h"
#include "config-options.h"
#include "crash-loop.h"
#include "display-memory.h"
#include "event-loop.h"
#include "linger.h"
#include "machine-life.h"
#include "natives.h"
#include "options.h"
#include "outside-work.h"
#include "pins-board.h"
#include "resume.h"
#include "retained.h"
#include "spent-trial.h"
#include "taken-port.h"
#include "watchdog.h"

/* A console that crashes or hangs this often in a row, each time within this time, does not recover by itself. */
enum { MAXIMUM_FAILURES = 5 };
static const double SHORT_RUN_MS = 2000;

typedef enum { RUNNING, RESTARTED, CRASHED, TIMED_OUT, STOPPED } End;

static jmp_buf abortJump;
static End end;
static const char *resetReason;
static bool isPortTaken;
static bool isRefused;				/* an exception ended this run before the process was ever ready */
static uint32_t stateFound;			/* the state that the last process left in the retained header */
static double startedAt;
static FirmwareImage image;
static bool isTrial;				/* this run started as the trial of new firmware */

const char *boot_board(void)
{
	return "simulator";
}

const char *boot_reset_reason(void)
{
	return resetReason;
}

Slot boot_slot(void)
{
	return resume.slot;
}

unsigned int boot_number(void)
{
	return resume.bootNumber;
}

double boot_uptime_ms(void)
{
	return event_loop_now() - startedAt;
}

/* Failures in a row: a late failure and the end of a trial start a new row. */
static void note_failure(double runMs)
{
	unsigned int count = runMs < SHORT_RUN_MS ? resume.failureCount + 1 : 1;
	resume.failureCount = isTrial ? 0 : count;
}

void boot_note_watchdog(double since)
{
	note_failure(since - startedAt);
	((RetainedHeader *)retained_map())->state = RETAINED_WATCHDOG;
}

void boot_note_port_taken(void)
{
	isPortTaken = true;
}

void boot_request_restart(void)
{
	if (end == RUNNING)
		end = RESTARTED;
}

void boot_request_shutdown(void)
{
	end = STOPPED;
}

/* Strips the name of the class, which means nothing to the user: "Fault: No build option is named …". */
static const char *message_of(const char *detail)
{
	const char *colon = strstr(detail, ": ");
	size_t nameLength = colon ? (size_t)(colon - detail) : 0;
	bool isName = nameLength > 0 && strspn(detail, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == nameLength;
	return isName ? colon + 2 : detail;
}

/*
 * The program rejects its options, or a port is taken: since the start failed, this counts neither as a crash nor as a
 * trial.
 */
static _Noreturn void refuse(const char *detail)
{
	const char *message = message_of(detail);
	const BootRecord *stagedAgain = spent_trial_record();
	fprintf(stderr, "console: %.*s\n", (int)strcspn(message, "\n"), message);
	if (stagedAgain && !boot_select_save(stagedAgain))		// the next start must boot it, too
		boot_exit(1);
	((RetainedHeader *)retained_map())->state = stateFound;
	crash_loop_undo();
	boot_exit(isPortTaken ? 1 : 2);
}

void boot_abort(const char *reason, const char *detail)
{
	isRefused = !resume.isReadyPrinted && *detail;
	if (isRefused && !isTrial)
		refuse(detail);
	// New firmware is rolled back; whether the options are wrong shows when the old firmware starts. Until then one
	// line is enough.
	size_t length = isRefused ? strcspn(detail, "\n") : strlen(detail);
	fprintf(stderr, "console: %s%s%.*s\n", reason, *detail ? ": " : "", (int)length, detail);
	longjmp(abortJump, 1);
}

const char *boot_find_module(const char *specifier, size_t *byteLength)
{
	size_t ignored;
	if (!byteLength)
		byteLength = &ignored;
	if (strcmp(specifier, "main") == 0)
		return firmware_image_program(&image, byteLength);
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		if (strcmp(specifier, nativeModules[index].specifier) == 0) {
			*byteLength = nativeModules[index].byteLength;
			return nativeModules[index].source;
		}
	}
	return NULL;
}

/* Selects the firmware to run after a run that ended with `lastEnd`. */
static void choose(RunEnd lastEnd)
{
	firmware_image_free(&image);
	const BootSelection selection = boot_select(lastEnd, resume.bootNumber == 0 ? NULL : &resume.slot, NULL);
	spent_trial_note(&selection.found, isRefused);
	crash_loop_note(lastEnd, selection.found.phase == PHASE_TRIAL);
	if (!selection.image.bytes)
		boot_exit(1);
	image = selection.image;
	resume.slot = selection.choice.slot;
	resetReason = selection.choice.resetReason;
	isTrial = selection.choice.record.phase == PHASE_TRIAL;
}

/* Ends the trial of firmware that has been neither confirmed nor reverted by now, without asking it. */
static void end_trial(Deadline *deadline)
{
	(void)deadline;
	if (end == RUNNING && boot_record_load().confirmed != resume.slot)
		end = TIMED_OUT;
}

static Deadline trialDeadline = { .ready = end_trial };

/* The program ends its trial itself when the time is over; it gets one more second for that. */
static void limit_trial(void)
{
	if (isTrial)
		event_loop_set(&trialDeadline, startedAt + 1000.0 * (config_integer("CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S") + 1));
}

static void run(void)
{
	size_t length;
	const char *text = firmware_image_program(&image, &length);
	end = RUNNING;
	isPortTaken = false;
	isRefused = false;
	outside_work_end(false);
	resume.bootNumber++;
	startedAt = event_loop_now();
	watchdog_feed(startedAt);
	pins_reset();
	limit_trial();
	crash_loop_begin_run();
	if (setjmp(abortJump) == 0) {
		machine_open(text, length);
		machine_run_main();
		while (end == RUNNING)
			event_loop_turn(INFINITY);
	}
	else
		end = CRASHED;
	machine_close();
	event_loop_clear(&trialDeadline);
	crash_loop_end_run();
}

static RunEnd end_of_run(void)
{
	switch (end) {
	case CRASHED: return outside_work_is_under_way() ? RUN_END_OUTSIDE_CRASH : RUN_END_CRASH;
	case TIMED_OUT: return RUN_END_TIMEOUT;
	default: return RUN_END_RESTART;
	}
}

/* The end of the last run of the previous process. */
static RunEnd end_of_process(uint32_t state)
{
	switch (state) {
	case RETAINED_RUNNING: return outside_work_is_under_way() ? RUN_END_OUTSIDE_CRASH : RUN_END_CRASH;
	case RETAINED_WATCHDOG: return RUN_END_WATCHDOG;
	default: return RUN_END_POWER_LOSS;
	}
}

int boot_loop(void)
{
	RetainedHeader *header = (RetainedHeader *)retained_map();
	stateFound = header->state;
	for (RunEnd lastEnd = end_of_process(stateFound); ; lastEnd = end_of_run()) {
		if (resume.failureCount >= MAXIMUM_FAILURES) {
			fprintf(stderr, "console: %d crashes in a row, giving up\n", MAXIMUM_FAILURES);
			return 1;
		}
		choose(lastEnd);
		header->state = RETAINED_RUNNING;
		run();
		if (end == STOPPED)
			break;
		display_reset();
		if (end == CRASHED)
			note_failure(boot_uptime_ms());
		else
			resume.failureCount = 0;
	}
	linger_drain();
	header->state = RETAINED_STOPPED;
	return 0;
}
