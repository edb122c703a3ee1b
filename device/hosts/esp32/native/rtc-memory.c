/*
 * Retained memory is slow memory of the real-time clock, which survives a reset by software, a crash and the watchdog.
 * It has 8 KiB; ESP-IDF and last-run.c need some of it.
 */
#include "esp_attr.h"
#include "retained-bytes.h"

enum { RETAINED_BYTES = 7 * 1024 };

static RTC_NOINIT_ATTR uint8_t retained[RETAINED_BYTES];

uint32_t retained_byte_length(void)
{
	return RETAINED_BYTES;
}

uint8_t *retained_bytes(void)
{
	return retained;
}
