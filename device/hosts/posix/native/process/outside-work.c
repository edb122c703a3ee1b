/* One word of the retained header (outside-work.h). */
#include "outside-work.h"

#include "retained.h"

static RetainedHeader *header(void)
{
	return (RetainedHeader *)retained_map();
}

bool outside_work_begin(bool isFromOutside)
{
	const bool before = outside_work_is_under_way();
	header()->work = isFromOutside ? RETAINED_OUTSIDE_WORK : 0;
	return before;
}

void outside_work_end(bool before)
{
	header()->work = before ? RETAINED_OUTSIDE_WORK : 0;
}

bool outside_work_is_under_way(void)
{
	return header()->work == RETAINED_OUTSIDE_WORK;
}
