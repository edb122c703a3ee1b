/* timer: set, repeat and clear over the event loop's deadlines. */
#include <stdlib.h>

#include "event-loop.h"
#include "machine.h"
#include "outside-work.h"

typedef struct {
	Deadline deadline;
	double repeatMs;		/* negative: once */
	bool isFromOutside;		/* set while the network was served: its callback counts as network work, too */
	xsSlot self;			/* keeps the handle while the timer is set */
	xsSlot callback;
} Timer;

/* For use without memory: code that waits for a timer would otherwise wait for ever. */
static Timer spares[32];
static bool isSpareInUse[32];
enum { SPARES = sizeof(spares) / sizeof(*spares) };

static Timer *timer_new(void)
{
	Timer *timer = calloc(1, sizeof(Timer));
	for (int index = 0; index < SPARES && !timer; index++) {
		if (!isSpareInUse[index]) {
			isSpareInUse[index] = true;
			timer = &spares[index];
			*timer = (Timer){ 0 };
		}
	}
	return timer;
}

static void timer_free(Timer *timer)
{
	if (timer >= spares && timer < spares + SPARES)
		isSpareInUse[timer - spares] = false;
	else
		free(timer);
}

void xs_timer_destructor(void *data)
{
	Timer *timer = data;
	if (!timer)
		return;
	event_loop_clear(&timer->deadline);
	timer_free(timer);
}

/* The handle stays valid, so that clearing it again does nothing. */
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
	const bool before = outside_work_begin(timer->isFromOutside);
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
	outside_work_end(before);
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
	Timer *timer = timer_new();
	if (!timer)
		xsUnknownError("no memory");
	timer->deadline.ready = ring;
	// A period of 0 would block the event loop; boards use 1 ms.
	timer->repeatMs = isRepeating ? (milliseconds < 1 ? 1 : milliseconds) : -1;
	timer->isFromOutside = outside_work_is_under_way();
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
