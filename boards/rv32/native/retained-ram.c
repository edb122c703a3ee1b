/*
 * Retained memory (device/hosts/common/native/retained-bytes.h), of the board's size. It lasts until power off,
 * because nothing resets this board.
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
