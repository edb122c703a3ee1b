/*
 * The host's part of a start, once, before the program: by the Moddable SDK as svc/start (modules/setup/start.js), by an
 * ESP-IDF project of ours from its main function (boards/esp-idf).
 *
 * The chip reports why the previous run ended, with one exception: a requested restart and an uncaught exception both
 * end in a reset by software. So a requested restart leaves a mark in the memory of the real-time clock, which such a
 * reset preserves.
 */
#include "start.h"

#include <stdbool.h>

#include "board-ethernet.h"
#include "board-network.h"
#include "board-sound.h"
#include "board-storage.h"
#include "bootloader_random.h"
#include "display-memory.h"
#include "esp_attr.h"
#include "esp_ota_ops.h"
#include "esp_system.h"
#include "mc.defines.h"
#include "task-load.h"
#include "panel.h"
#include "pins-board.h"
#include "trial-timer.h"

enum { WANTED = 0x57414E54 };

static RTC_NOINIT_ATTR uint32_t restart;
static const char *resetReason;

typedef struct {
	const char *resetReason;
	TrialEnd trialEnd;
} RunEnd;

static RunEnd end_of_last_run(bool wasWanted)
{
	switch (esp_reset_reason()) {
	case ESP_RST_SW:
		return wasWanted ? (RunEnd){ "software", TRIAL_END_REBOOT } : (RunEnd){ "crash", TRIAL_END_CRASH };
	case ESP_RST_PANIC:
		return (RunEnd){ "crash", TRIAL_END_CRASH };
	case ESP_RST_INT_WDT:
	case ESP_RST_TASK_WDT:
	case ESP_RST_WDT:
		return (RunEnd){ "watchdog", TRIAL_END_WATCHDOG };
	default:
		return (RunEnd){ "power_on", TRIAL_END_POWER_LOSS };
	}
}

int start_slot(void)
{
	return esp_ota_get_running_partition()->subtype == ESP_PARTITION_SUBTYPE_APP_OTA_1;
}

const char *start_reset_reason(void)
{
	return resetReason;
}

_Noreturn void start_again(void)
{
	restart = WANTED;
	esp_restart();
}

/* First of all: the user sees that the console starts while storage is mounted and the program is made. */
static void show_boot_picture(void)
{
	pins_reset();
	display_reset();
	panel_start();
}

bool start_run(int confirmTimeoutSeconds)
{
	show_boot_picture();
	static const char *const reasons[] = { [OTA_START_UPDATE] = "update", [OTA_START_ROLLBACK] = "rollback" };
	RunEnd end = end_of_last_run(restart == WANTED);
	restart = 0;
	OtaStart start = ota_record_start(start_slot(), end.trialEnd);
	resetReason = start == OTA_START_AS_BEFORE ? end.resetReason : reasons[start];
	if (ota_record_now(start_slot()).phase == PHASE_TRIAL)
		trial_timer_start(confirmTimeoutSeconds);
	task_load_watch();
	board_sound_start();
	bootloader_random_enable();		// until the radio is on, which is the noise source of the generator from then on
	board_network_start();
#ifdef MODDEF_ETHERNET_ADDRESS
	board_ethernet_start();
#endif
	return board_storage_start();
}
