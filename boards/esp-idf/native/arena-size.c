/*
 * An ESP32 has 320 KiB of memory of its own in pieces of at most 124 KiB, of which TCP/IP and a radio need some 100 KiB:
 * so its heap is smaller than that of an ESP32-S3. The console needs 63 KiB at the worst (docs/board.md).
 */
#include "arena-size.h"

enum { ESP32_ARENA_KIB = 96 };

unsigned long arena_size_kib(void)
{
	return ESP32_ARENA_KIB;
}
