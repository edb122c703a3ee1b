/*
 * What the desktop's sockets note for its boot loader, which judges the crash of a trial by it (outside-work.h,
 * taken-port.h). A board's boot loader gives a trial one start, however it ends.
 */
#include "outside-work.h"
#include "taken-port.h"

bool outside_work_begin(bool isFromOutside)
{
	(void)isFromOutside;
	return false;
}

void outside_work_end(bool before)
{
	(void)before;
}

bool outside_work_is_under_way(void)
{
	return false;
}

void boot_note_port_taken(void)
{
}
