/* svc/system: properties of the console, and control over it. */
#include <stdio.h>

#include "esp_app_desc.h"
#include "esp_heap_caps.h"
#include "esp_mac.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "board-heap.h"
#include "last-run.h"
#include "task-load.h"
#include "machine.h"
#include "mc.defines.h"
#include "sdkconfig.h"
#include "start.h"

static void set_number(xsMachine *the, const char *name, double value)
{
	machine_set_number(the, &xsVar(0), value);
	xsmcSet(xsResult, xsID(name), xsVar(0));
}

/* The board name in the image's own header, with which an update's is compared. */
void xs_system_board(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)esp_app_get_description()->project_name);
}

void xs_system_mac(xsMachine *the)
{
	uint8_t mac[6] = { 0 };
	char text[6 * 3];
	(void)esp_read_mac(mac, ESP_MAC_WIFI_STA);
	snprintf(text, sizeof(text), "%02X:%02X:%02X:%02X:%02X:%02X", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	xsmcSetString(xsResult, text);
}

void xs_system_reset_reason(xsMachine *the)
{
	xsmcSetString(xsResult, (char *)start_reset_reason());
}

void xs_system_safe_mode(xsMachine *the)
{
	xsmcSetBoolean(xsResult, last_run_is_safe_mode());
}

void xs_system_uptime_ms(xsMachine *the)
{
	machine_set_number(the, &xsResult, (xsNumberValue)(esp_timer_get_time() / 1000));
}

void xs_system_cpu(xsMachine *the)
{
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	xsmcSetString(xsVar(0), MODDEF_CHIP);
	xsmcSet(xsResult, xsID("model"), xsVar(0));
	set_number(the, "cores", portNUM_PROCESSORS);
	set_number(the, "frequencyMhz", CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ);
	set_number(the, "loadPercent", task_load_percent());
}

/* The memory on the chip, which includes the management machine's heap (board-machine.c). */
void xs_system_heap(xsMachine *the)
{
	const uint32_t memory = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT;
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_number(the, "totalBytes", heap_caps_get_total_size(memory));
	set_number(the, "freeBytes", heap_caps_get_free_size(memory));
	set_number(the, "minimumFreeBytes", heap_caps_get_minimum_free_size(memory));
}

/* hasHeapRoom(byteLength) */
void xs_system_has_heap_room(xsMachine *the)
{
	xsNumberValue byteLength = xsmcToNumber(xsArg(0));
	if (!(byteLength >= 0 && byteLength <= INT32_MAX))
		xsRangeError("bad length");
	xsmcSetBoolean(xsResult, board_heap_has_room(the, (size_t)byteLength));
}

void xs_system_used_heap_bytes(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)board_heap_used_bytes(the, false));
}

void xs_system_live_heap_bytes(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)board_heap_used_bytes(the, true));
}

void xs_system_psram(xsMachine *the)
{
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	set_number(the, "totalBytes", heap_caps_get_total_size(MALLOC_CAP_SPIRAM));
	set_number(the, "freeBytes", heap_caps_get_free_size(MALLOC_CAP_SPIRAM));
}

void xs_system_select_loader(xsMachine *the)
{
	xsmcSetBoolean(xsResult, start_select_loader());
}

static void end_run(void *context)
{
	(void)context;
	start_again();
}

/* Delayed, so that pending output reaches a browser or the USB host: neither reports its arrival. */
void xs_system_restart(xsMachine *the)
{
	static const uint64_t DELAY_US = 250000;
	static esp_timer_handle_t timer;
	const esp_timer_create_args_t options = { .callback = end_run, .name = "restart" };
	if (timer)
		return;
	if (esp_timer_create(&options, &timer) != ESP_OK || esp_timer_start_once(timer, DELAY_US) != ESP_OK)
		xsUnknownError("no timer for the restart");
}
