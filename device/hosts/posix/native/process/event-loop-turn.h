/*
 * The halves of a turn of the event loop, for the loop of a host that has more to poll than our sources. Between
 * them the host may do anything; a source that is removed meanwhile is not called back.
 */
#ifndef SVC_EVENT_LOOP_TURN_H
#define SVC_EVENT_LOOP_TURN_H

#include <poll.h>

#include "event-loop.h"

/*
 * @returns what to poll, which is valid until anything is added, and whose `revents` the host fills in; for how
 * long it may wait, until `until` at the most (of event_loop_now(); INFINITY: no limit), is left in `timeoutMs`
 */
struct pollfd *event_loop_begin_turn(double until, int *count, int *timeoutMs);

/* Belongs right after polling. @returns whether there is anything to do in event_loop_end_turn */
bool event_loop_polled(void);

/* Dispatches to the sources that are ready. */
void event_loop_end_turn(void);

#endif
