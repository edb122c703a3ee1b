/*
 * The boot loader (boot.h) inside the simulator: firmware is a library that the simulator loads, and its first step is
 * to select the firmware to run. To run other firmware, and for every restart, the process starts again in place with
 * the selection (library.h), so that each run has its own process and machine.
 */
#include "boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot-life.h"
#include "boot-select.h"
#include "crash-loop.h"
#include "event-loop.h"
#include "library.h"
#include "linger.h"
#include "outside-work.h"
#include "own-image.h"
#include "programmer.h"
#include "resume.h"
#include "retained.h"
#include "signals.h"
#include "taken-port.h"
#include "usb-port.h"

/* A console that crashes or hangs this often in a row, each time within this time, does not recover by itself. */
enum { MAXIMUM_FAILURES = 5 };
static const double SHORT_RUN_MS = 2000;

typedef enum { RUNNING, RESTARTED, TIMED_OUT, STOPPED } End;

static End end;
static BootHandover run;			/* the run of this process */
static bool isPortTaken;
static double startedAt;
static FirmwareImage image;

const char *boot_board(void)
{
	return OWN_BOARD;
}

const char *boot_reset_reason(void)
{
	return run.resetReason;
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

void boot_note_port_taken(void)
{
	isPortTaken = true;
}

static void nothing(void *context)
{
	(void)context;
}

/* Our own loop must not call back into the requester: the loop checks `end` at the end of its turns. */
static void end_soon(End wanted)
{
	end = wanted;
	event_loop_post(nothing, NULL);
}

void boot_request_restart(void)
{
	if (end == RUNNING)
		end_soon(RESTARTED);
}

void boot_request_shutdown(void)
{
	end_soon(STOPPED);
}

static RetainedHeader *header(void)
{
	return (RetainedHeader *)retained_map();
}

static _Noreturn void leave(int status)
{
	usb_port_close();
	exit(status);
}

static bool can_run(const FirmwareImage *candidate)
{
	size_t length;
	const char *program = firmware_image_program(candidate, &length);
	return library_is_running(program, length) || library_can_run(program, length);
}

/* Selects the firmware to run after a run that ended with `lastEnd`. */
static void choose(RunEnd lastEnd)
{
	firmware_image_free(&image);
	const BootSelection selection = boot_select(lastEnd, resume.bootNumber == 0 ? NULL : &resume.slot, can_run);
	crash_loop_note(lastEnd, selection.found.phase == PHASE_TRIAL);
	if (!selection.image.bytes)
		leave(1);
	image = selection.image;
	resume.slot = selection.choice.slot;
	run.isTrial = selection.choice.record.phase == PHASE_TRIAL;
	snprintf(run.resetReason, sizeof(run.resetReason), "%s", selection.choice.resetReason);
}

/* Another process runs the selection. */
static _Noreturn void hand_over(void)
{
	size_t length;
	const char *program = firmware_image_program(&image, &length);
	resume.next = run;
	resume.next.isChosen = true;
	header()->state = RETAINED_STOPPED;
	if (library_is_running(program, length))
		library_restart();
	library_enter();
}

/* The end of the last run of the previous process, or of a run that the watchdog ended. */
static RunEnd end_of_process(void)
{
	switch (header()->state) {
	case RETAINED_RUNNING: return outside_work_is_under_way() ? RUN_END_OUTSIDE_CRASH : RUN_END_CRASH;
	case RETAINED_WATCHDOG: return RUN_END_WATCHDOG;
	default: return RUN_END_POWER_LOSS;
	}
}

/* Continues after a run, unless the process is to end. */
static _Noreturn void continue_after(RunEnd lastEnd)
{
	if (resume.failureCount >= MAXIMUM_FAILURES) {
		fprintf(stderr, "console: %d crashes in a row, giving up\n", MAXIMUM_FAILURES);
		leave(1);
	}
	choose(lastEnd);
	hand_over();
}

/* Failures in a row: a late failure and the end of a trial start a new row. */
static void note_failure(double runMs)
{
	unsigned int count = runMs < SHORT_RUN_MS ? resume.failureCount + 1 : 1;
	resume.failureCount = run.isTrial ? 0 : count;
}

/* Strips the name of the class, which means nothing to the user: "Fault: No build option is named …". */
static const char *message_of(const char *detail)
{
	const char *colon = strstr(detail, ": ");
	size_t nameLength = colon ? (size_t)(colon - detail) : 0;
	bool isName = nameLength > 0 && strspn(detail, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == nameLength;
	return isName ? colon + 2 : detail;
}

/* The previous trial said nothing about its firmware, since the confirmed firmware fails, too (spent-trial.h). */
static void stage_again(void)
{
	BootRecord record = boot_record_load();
	record.phase = PHASE_STAGED;
	record.lastEnd = TRIAL_END_NONE;
	record.trials++;
	if (!boot_select_save(&record))		// the next start must boot it, too
		leave(1);
}

/*
 * The program rejects its options, or a port is taken: since the start failed, this counts neither as a crash nor as a
 * trial.
 */
static _Noreturn void refuse(const char *detail)
{
	const char *message = message_of(detail);
	fprintf(stderr, "console: %.*s\n", (int)strcspn(message, "\n"), message);
	if (run.isAfterSpentTrial)
		stage_again();
	header()->state = RETAINED_STOPPED;
	crash_loop_undo();
	leave(isPortTaken ? 1 : 2);
}

void boot_abort(const char *reason, const char *detail)
{
	const bool isRefused = !resume.isReadyPrinted && *detail;
	if (isRefused && !run.isTrial)
		refuse(detail);
	// New firmware is rolled back; whether the options are wrong shows when the old firmware starts. Until then one
	// line is enough.
	size_t length = isRefused ? strcspn(detail, "\n") : strlen(detail);
	fprintf(stderr, "console: %s%s%.*s\n", reason, *detail ? ": " : "", (int)length, detail);
	note_failure(boot_uptime_ms());
	run.isAfterSpentTrial = isRefused;
	continue_after(outside_work_is_under_way() ? RUN_END_OUTSIDE_CRASH : RUN_END_CRASH);
}

void boot_check_end(void)
{
	if (end == RUNNING)
		return;
	linger_drain();
	if (end == STOPPED) {
		header()->state = RETAINED_STOPPED;
		leave(0);
	}
	resume.failureCount = 0;
	run.isAfterSpentTrial = false;
	continue_after(end == TIMED_OUT ? RUN_END_TIMEOUT : RUN_END_RESTART);
}

/* Ends the trial of firmware that has been neither confirmed nor reverted by now, without asking it. */
static void end_trial(Deadline *deadline)
{
	(void)deadline;
	if (end == RUNNING && boot_record_load().confirmed != resume.slot)
		end = TIMED_OUT;
}

static Deadline trialDeadline = { .ready = end_trial };

void boot_limit_trial(double seconds)
{
	if (run.isTrial)
		event_loop_set(&trialDeadline, startedAt + 1000 * (seconds + 1));
}

void boot_end_hung_run(double since)
{
	static const char message[] = "console: the watchdog resets it: the program does not come back\n";
	if (signals_are_terminating())
		return;
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	note_failure(since - startedAt);
	header()->state = RETAINED_WATCHDOG;
	library_restart();
}

void boot_begin(void)
{
	startedAt = event_loop_now();
	run = resume.next;
	resume.next = (BootHandover){ 0 };
	if (!run.isChosen) {
		choose(end_of_process());
		size_t length;
		const char *program = firmware_image_program(&image, &length);
		if (!library_is_running(program, length))
			hand_over();
	}
	firmware_image_free(&image);
	resume.bootNumber++;
	outside_work_end(false);
	crash_loop_begin_run();
	header()->state = RETAINED_RUNNING;
}
