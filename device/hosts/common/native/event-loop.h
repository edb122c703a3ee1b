/*
 * The one loop that everything runs in: file descriptors, deadlines, and wake-ups from other threads.
 * It sleeps in poll() whenever there is nothing to do. After each callback promise jobs run.
 */
#ifndef SVC_EVENT_LOOP_H
#define SVC_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A file descriptor to watch. Owned by the code that adds it, in whose memory it lives until removed. */
typedef struct Source Source;
struct Source {
	int fd;					/* -1: never polled, only deferred */
	short events;			/* POLLIN, POLLOUT; may be changed at any time; 0: not polled */
	bool deferred;			/* call back in the next turn, whatever the descriptor says */
	void (*ready)(Source *source, short revents);	/* revents is 0 when deferred only */
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
void event_loop_set(Deadline *deadline, double at);
void event_loop_clear(Deadline *deadline);

/* Milliseconds of the monotonic clock. */
double event_loop_now(void);

/* Waits for something to do and does it; at most until `until` (of event_loop_now(); INFINITY: no limit). */
void event_loop_turn(double until);

/* Calls back on the loop's thread. From any thread; `callback` is run once, in the order of the calls. */
void event_loop_post(void (*callback)(void *context), void *context);

/* Share of the last five seconds that was not spent waiting, 0 to 100. */
double event_loop_load_percent(void);

#endif
