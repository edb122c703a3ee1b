/* The load as the event loop knows it, which is its own here (task-load.h). */
#include "task-load.h"

#include "event-loop.h"
#include "load.h"

void task_load_of_this_task(void)
{
}

void task_load_watch(void)
{
}

int task_load_percent(void)
{
	return (int)load_percent(event_loop_now());
}
