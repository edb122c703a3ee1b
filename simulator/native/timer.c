/* timer: set, repeat and clear over the event loop's deadlines. */
#include <stdlib.h>

#include "event-loop.h"
#include "machine.h"

typedef struct {
	Deadline deadline;
	double repeatMs;		/* negative: once */
	xsSlot self;			/* keeps the handle while the timer is set */
	xsSlot callback;
} Timer;

void xs_timer_destructor(void *data)
{
	Timer *timer = data;
	if (!timer)
		return;
	event_loop_clear(&timer->deadline);
	free(timer);
}

/* The handle stays a handle, so that clearing it again does nothing. */
static void release(xsMachine *the, Timer *timer)
{
	xsSlot self = timer->self;
	xsForget(timer->self);
	xsForget(timer->callback);
	xsmcSetHostData(self, NULL);
	xs_timer_destructor(timer);
}

static void ring(Deadline *deadline)
{
	Timer *timer = (Timer *)deadline;
	xsBeginHost(machine);
	xsmcVars(1);
	xsVar(0) = timer->callback;
	if (timer->repeatMs < 0)
		release(the, timer);
	else
		event_loop_set(deadline, event_loop_now() + timer->repeatMs);
	(void)xsCallFunction0(xsVar(0), xsUndefined);
	xsEndHost(machine);
	machine_end_turn();
}

/* new Handle(callback, milliseconds, isRepeating) */
void xs_timer_constructor(xsMachine *the)
{
	double milliseconds = xsmcToNumber(xsArg(1));
	bool isRepeating = xsmcTest(xsArg(2));
	if (!xsmcIsCallable(xsArg(0)))
		xsTypeError("a timer needs a function");
	if (!(milliseconds >= 0))
		milliseconds = 0;
	Timer *timer = calloc(1, sizeof(Timer));
	if (!timer)
		xsUnknownError("no memory");
	timer->deadline.ready = ring;
	// A period of nothing would leave no room for anything else; 1 ms is what boards do.
	timer->repeatMs = isRepeating ? (milliseconds < 1 ? 1 : milliseconds) : -1;
	timer->self = xsThis;
	timer->callback = xsArg(0);
	xsRemember(timer->self);
	xsRemember(timer->callback);
	xsmcSetHostData(xsThis, timer);
	event_loop_set(&timer->deadline, event_loop_now() + milliseconds);
}

void xs_timer_clear(xsMachine *the)
{
	Timer *timer = xsmcGetHostDataValidate(xsThis, xs_timer_destructor);
	if (timer)
		release(the, timer);
}
