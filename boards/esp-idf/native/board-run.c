/*
 * The run of this image, for code of the desktop that asks its boot loader (device/hosts/posix/native/boot/boot.h) and its
 * command line: a board has neither. A crash is a restart, whose reason the next run finds (start.c).
 */
#include <stdlib.h>

#include "boot.h"
#include "esp_log.h"
#include "esp_task_wdt.h"
#include "options.h"
#include "watchdog.h"

/* Sockets listen on all addresses. */
Options options = { 0 };

void boot_abort(const char *reason, const char *detail)
{
	ESP_LOGE("console", "%s%s%s", reason, *detail ? ": " : "", detail);
	abort();
}

/* The task watchdog of ESP-IDF (sdkconfig.defaults) watches the machine's thread. */
void watchdog_feed(double now)
{
	(void)now;
	(void)esp_task_wdt_reset();
}
