/*
 * Two words of the retained header, the second being the complement of the first: after a power cut they are
 * arbitrary.
 */
#include "crash-loop.h"

#include "environment.h"
#include "event-loop.h"
#include "retained.h"

enum { CRASHES_TO_SAFE_MODE = 3, HEALTHY_MS = 60000 };

static uint32_t before;
static bool isSafe;

static RetainedHeader *header(void)
{
	return (RetainedHeader *)retained_map();
}

static uint32_t crash_count(void)
{
	return header()->crashCount == ~header()->crashCheck ? header()->crashCount : 0;
}

static void set_count(uint32_t count)
{
	header()->crashCount = count;
	header()->crashCheck = ~count;
}

static void reset_count(Deadline *deadline)
{
	(void)deadline;
	set_count(0);
}

static Deadline healthy = { .ready = reset_count };

void crash_loop_note(RunEnd end, bool isTrial)
{
	const bool isCrash = end == RUN_END_CRASH || end == RUN_END_OUTSIDE_CRASH || end == RUN_END_WATCHDOG;
	before = crash_count();
	set_count(isCrash && !isTrial ? (before < CRASHES_TO_SAFE_MODE ? before + 1 : before) : 0);
}

void crash_loop_begin_run(void)
{
	isSafe = crash_count() >= CRASHES_TO_SAFE_MODE;
	event_loop_set(&healthy, event_loop_now() + (double)environment_number("SVC_SIM_HEALTHY_MS", 1, HEALTHY_MS));
}

void crash_loop_end_run(void)
{
	event_loop_clear(&healthy);
}

void crash_loop_undo(void)
{
	set_count(before);
}

bool crash_loop_is_safe_mode(void)
{
	return isSafe;
}
