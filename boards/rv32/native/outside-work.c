/* Nothing survives a crash here (outside-work.h): there is one run. */
#include "outside-work.h"

static bool isUnderWay;

bool outside_work_begin(bool isFromOutside)
{
	const bool before = isUnderWay;
	isUnderWay = isFromOutside;
	return before;
}

void outside_work_end(bool before)
{
	isUnderWay = before;
}

bool outside_work_is_under_way(void)
{
	return isUnderWay;
}
