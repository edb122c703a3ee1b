/*
 * The host's part of a start, once, before the program: by the Moddable SDK as svc/start (device/hosts/moddable/esp32s3), by our
 * project of ESP-IDF from its main function (boards/esp-idf).
 */
#include "start.h"

#include <stdbool.h>

#include "board-ethernet.h"
#include "board-network.h"
#include "board-sound.h"
#include "board-storage.h"
#include "bootloader_random.h"
#include "chip-loader.h"
#include "display-memory.h"
#include "esp_ota_ops.h"
#include "esp_system.h"
#include "last-run.h"
#include "mc.defines.h"
#include "task-load.h"
#include "panel.h"
#include "pins-board.h"
#include "trial-timer.h"

static const char *resetReason;
static bool leadsToLoader;

int start_slot(void)
{
	return esp_ota_get_running_partition()->subtype == ESP_PARTITION_SUBTYPE_APP_OTA_1;
}

const char *start_reset_reason(void)
{
	return resetReason;
}

bool start_select_loader(void)
{
	leadsToLoader = chip_loader_is_reachable();
	return leadsToLoader;
}

_Noreturn void start_again(void)
{
	last_run_mark_restart();
	if (leadsToLoader)
		chip_loader_select();
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
	const LastRun last = last_run_read();
	OtaStart start = ota_record_start(start_slot(), last.trialEnd);
	resetReason = start == OTA_START_AS_BEFORE ? last.resetReason : reasons[start];
	last_run_count(last, start == OTA_START_ROLLBACK);
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
