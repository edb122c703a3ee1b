/*
 * The chip reports why the previous run ended, with one exception: a requested restart and an uncaught exception both
 * end in a reset by software. So a requested restart leaves a mark in the memory of the real-time clock, which such a
 * reset preserves. The crashes in a row are counted there, too: a panic and the watchdogs preserve it.
 */
#include "last-run.h"

#include <stdint.h>

#include "crash-row.h"
#include "esp_attr.h"
#include "esp_system.h"
#include "esp_timer.h"

enum { WANTED = 0x57414E54 };
static const uint64_t HEALTHY_US = HEALTHY_MS * UINT64_C(1000);

static RTC_NOINIT_ATTR uint32_t restart;
static RTC_NOINIT_ATTR CrashRow crashes;
static bool isSafeMode;

LastRun last_run_read(void)
{
	const bool wasWanted = restart == WANTED;
	restart = 0;
	switch (esp_reset_reason()) {
	case ESP_RST_SW:
		return wasWanted ? (LastRun){ "software", TRIAL_END_REBOOT } : (LastRun){ "crash", TRIAL_END_CRASH };
	case ESP_RST_PANIC:
		return (LastRun){ "crash", TRIAL_END_CRASH };
	case ESP_RST_INT_WDT:
	case ESP_RST_TASK_WDT:
	case ESP_RST_WDT:
		return (LastRun){ "watchdog", TRIAL_END_WATCHDOG };
	default:
		return (LastRun){ "power_on", TRIAL_END_POWER_LOSS };
	}
}

static void end_row(void *context)
{
	(void)context;
	crash_row_end(&crashes);
}

void last_run_count(LastRun run, bool wasTrial)
{
	static esp_timer_handle_t timer;
	const esp_timer_create_args_t options = { .callback = end_row, .name = "healthy" };
	const bool isCrash = run.trialEnd == TRIAL_END_CRASH || run.trialEnd == TRIAL_END_WATCHDOG;
	crash_row_note(&crashes, isCrash && !wasTrial);
	isSafeMode = crash_row_is_full(&crashes);
	if (esp_timer_create(&options, &timer) == ESP_OK)
		(void)esp_timer_start_once(timer, HEALTHY_US);
}

bool last_run_is_safe_mode(void)
{
	return isSafeMode;
}

void last_run_mark_restart(void)
{
	restart = WANTED;
}
