#include "crash-row.h"

static uint32_t length_of(const CrashRow *row)
{
	return row->count == ~row->check ? row->count : 0;
}

static void set_length(CrashRow *row, uint32_t length)
{
	row->count = length;
	row->check = ~length;
}

void crash_row_note(CrashRow *row, bool isCrash)
{
	const uint32_t before = length_of(row);
	set_length(row, isCrash ? (before < CRASHES_TO_SAFE_MODE ? before + 1 : before) : 0);
}

void crash_row_end(CrashRow *row)
{
	set_length(row, 0);
}

bool crash_row_is_full(const CrashRow *row)
{
	return length_of(row) >= CRASHES_TO_SAFE_MODE;
}
