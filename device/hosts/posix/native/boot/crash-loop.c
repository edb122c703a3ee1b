/* The row is in the retained header. */
#include "crash-loop.h"

#include "crash-row.h"
#include "environment.h"
#include "event-loop.h"
#include "retained.h"

static CrashRow before;
static bool isSafe;

static CrashRow *row(void)
{
	return &((RetainedHeader *)retained_map())->crashes;
}

static void end_row(Deadline *deadline)
{
	(void)deadline;
	crash_row_end(row());
}

static Deadline healthy = { .ready = end_row };

void crash_loop_note(RunEnd end, bool isTrial)
{
	const bool isCrash = end == RUN_END_CRASH || end == RUN_END_OUTSIDE_CRASH || end == RUN_END_WATCHDOG;
	before = *row();
	crash_row_note(row(), isCrash && !isTrial);
}

void crash_loop_begin_run(void)
{
	isSafe = crash_row_is_full(row());
	event_loop_set(&healthy, event_loop_now() + (double)environment_number("SVC_SIM_HEALTHY_MS", 1, HEALTHY_MS));
}

void crash_loop_end_run(void)
{
	event_loop_clear(&healthy);
}

void crash_loop_undo(void)
{
	*row() = before;
}

bool crash_loop_is_safe_mode(void)
{
	return isSafe;
}
