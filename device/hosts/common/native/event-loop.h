/*
 * The only event loop: file descriptors, deadlines, and wake-ups from other threads. It sleeps in poll() while idle.
 * Promise jobs run after each callback.
 */
#ifndef SVC_EVENT_LOOP_H
#define SVC_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A file descriptor to watch. The caller owns it and keeps its memory valid until it is removed. */
typedef struct Source Source;
struct Source {
	int fd;					/* -1: never polled, only deferred */
	short events;			/* POLLIN, POLLOUT; 0: not polled. Once it is added, event_loop_watch changes it */
	bool deferred;			/* of event_loop_defer */
	void (*ready)(Source *source, short revents);	/* revents is 0 if only deferred */
	Source *next;
};

/* A deadline. `ready` may set it again. */
typedef struct Deadline Deadline;
struct Deadline {
	double at;				/* of event_loop_now() */
	void (*ready)(Deadline *deadline);
	bool isSet;
	Deadline *next;
};

void event_loop_open(void);

void event_loop_add(Source *source);
void event_loop_remove(Source *source);

/* Changes what the source is polled for. A callback for what was polled before may still come, once. */
void event_loop_watch(Source *source, short events);

/* Calls the source back in the next turn, whatever poll() reports. */
void event_loop_defer(Source *source);

void event_loop_set(Deadline *deadline, double at);
void event_loop_clear(Deadline *deadline);

/* Milliseconds of the monotonic clock. */
double event_loop_now(void);

/* Waits for events and dispatches them; returns at `until` (of event_loop_now(); INFINITY: no limit) at the latest. */
void event_loop_turn(double until);

/*
 * Calls back on the loop's thread. May be called from any thread; callbacks run once each, in the order of the calls.
 */
void event_loop_post(void (*callback)(void *context), void *context);

#endif
