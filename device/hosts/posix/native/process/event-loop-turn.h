/*
 * The two halves of a turn of the event loop, for a host that polls itself: its own loop polls more than our sources, or
 * another thread polls. Between them the host may do anything; a source that is removed meanwhile is not called back.
 */
#ifndef SVC_EVENT_LOOP_TURN_H
#define SVC_EVENT_LOOP_TURN_H

#include <poll.h>

#include "event-loop.h"

/*
 * @returns what to poll, valid until a source is added; the host fills in `revents`. `timeoutMs` is set to how long it
 * may wait, until `until` (of event_loop_now(); INFINITY: no limit) at most
 */
struct pollfd *event_loop_begin_turn(double until, int *count, int *timeoutMs);

/*
 * Call it right after polling.
 * @returns whether event_loop_end_turn has anything to do
 */
bool event_loop_polled(void);

/* Dispatches to the ready sources. */
void event_loop_end_turn(void);

/*
 * For a host where another thread polls. `takeTurnBack` is called on the loop's thread before a turn that is being polled
 * changes; when it returns, the other thread has left poll(). A descriptor is closed after that only.
 */
void event_loop_before_change(void (*takeTurnBack)(void));

/* Makes poll() return. May be called from any thread. */
void event_loop_wake(void);

#endif
