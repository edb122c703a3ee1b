/*
 * Retained memory (device/hosts/common/native/retained-bytes.h): as much as the board has of it, which is power on to
 * power off here, for nothing resets this one.
 */
#include "retained-bytes.h"

enum { RETAINED_BYTES = 7 * 1024 };

static uint8_t retained[RETAINED_BYTES];

uint32_t retained_byte_length(void)
{
	return RETAINED_BYTES;
}

uint8_t *retained_bytes(void)
{
	return retained;
}
