/*
 * A board's crashes in a row, with the chip's reset reasons as they come (docs/spec/boot-and-slots.md#safe-mode). Prints
 * what does not hold.
 */
#include <stdbool.h>
#include <string.h>

#include "crash-row.h"
#include "esp_system.h"
#include "esp_timer.h"
#include "holds.h"
#include "last-run.h"

static esp_reset_reason_t reason;
static esp_timer_cb_t onHealthy;
static uint64_t healthyUs;

esp_reset_reason_t esp_reset_reason(void) { return reason; }

esp_err_t esp_timer_create(const esp_timer_create_args_t *options, esp_timer_handle_t *timer)
{
	onHealthy = options->callback;
	*timer = NULL;
	return ESP_OK;
}

esp_err_t esp_timer_start_once(esp_timer_handle_t timer, uint64_t timeout)
{
	(void)timer;
	healthyUs = timeout;
	return ESP_OK;
}

static LastRun start_after(esp_reset_reason_t how, bool wasTrial)
{
	reason = how;
	const LastRun run = last_run_read();
	last_run_count(run, wasTrial);
	return run;
}

static void power_on(void)
{
	(void)start_after(ESP_RST_POWERON, false);
}

static void crash(int times)
{
	while (times-- > 0)
		(void)start_after(ESP_RST_PANIC, false);
}

static void check_reasons(void)
{
	static const struct {
		esp_reset_reason_t reason;
		bool isWanted;
		const char *resetReason;
		TrialEnd trialEnd;
	} CASES[] = {
		{ ESP_RST_POWERON, false, "power_on", TRIAL_END_POWER_LOSS },
		{ ESP_RST_BROWNOUT, false, "power_on", TRIAL_END_POWER_LOSS },
		{ ESP_RST_SW, true, "software", TRIAL_END_REBOOT },
		{ ESP_RST_SW, false, "crash", TRIAL_END_CRASH },
		{ ESP_RST_PANIC, false, "crash", TRIAL_END_CRASH },
		{ ESP_RST_TASK_WDT, false, "watchdog", TRIAL_END_WATCHDOG },
		{ ESP_RST_INT_WDT, false, "watchdog", TRIAL_END_WATCHDOG },
		{ ESP_RST_WDT, false, "watchdog", TRIAL_END_WATCHDOG },
	};
	for (size_t index = 0; index < sizeof(CASES) / sizeof(CASES[0]); index++) {
		if (CASES[index].isWanted)
			last_run_mark_restart();
		const LastRun run = start_after(CASES[index].reason, false);
		HOLDS(strcmp(run.resetReason, CASES[index].resetReason) == 0, "case %zu: %s", index, run.resetReason);
		HOLDS(run.trialEnd == CASES[index].trialEnd, "case %zu", index);
	}
	last_run_mark_restart();
	(void)start_after(ESP_RST_SW, false);
	HOLDS(strcmp(start_after(ESP_RST_SW, false).resetReason, "crash") == 0, "a mark lasts for one restart");
}

/* After each of these, two more crashes are too few. */
static void check_ends_of_a_row(void)
{
	crash(2);
	power_on();
	crash(2);
	HOLDS(!last_run_is_safe_mode(), "a loss of power ends a row");

	last_run_mark_restart();
	(void)start_after(ESP_RST_SW, false);
	crash(2);
	HOLDS(!last_run_is_safe_mode(), "a requested restart ends a row");

	onHealthy(NULL);
	crash(2);
	HOLDS(!last_run_is_safe_mode(), "a minute without a crash ends a row");
	HOLDS(healthyUs == UINT64_C(60000000));

	(void)start_after(ESP_RST_PANIC, true);
	HOLDS(!last_run_is_safe_mode(), "the crash of a trial does not count");
	crash(2);
	HOLDS(!last_run_is_safe_mode(), "a trial ends a row");
	power_on();
}

static void check_safe_mode(void)
{
	crash(2);
	HOLDS(!last_run_is_safe_mode());
	(void)start_after(ESP_RST_TASK_WDT, false);
	HOLDS(last_run_is_safe_mode(), "the watchdog counts as a crash");
	crash(3);
	HOLDS(last_run_is_safe_mode(), "a crash in safe mode does not leave it");
	last_run_mark_restart();
	(void)start_after(ESP_RST_SW, false);
	HOLDS(!last_run_is_safe_mode(), "a requested restart leaves safe mode");
	crash(3);
	HOLDS(last_run_is_safe_mode());
	power_on();
	HOLDS(!last_run_is_safe_mode(), "a loss of power leaves safe mode");
}

/* What memory holds after a loss of power is arbitrary, even if the chip takes it for a crash. */
static void check_noise(void)
{
	CrashRow row = { .count = 0x5A5A5A5A, .check = 0x12345678 };
	HOLDS(!crash_row_is_full(&row));
	crash_row_note(&row, true);
	crash_row_note(&row, true);
	HOLDS(!crash_row_is_full(&row));
	crash_row_note(&row, true);
	HOLDS(crash_row_is_full(&row));
}

int main(void)
{
	check_reasons();
	power_on();
	check_ends_of_a_row();
	check_safe_mode();
	check_noise();
	return failures > 0;
}
