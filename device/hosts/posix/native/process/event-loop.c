/*
 * Sources to poll, sorted deadlines, and a queue for other threads (event-loop.h). Polled by event_loop_turn, or by the
 * host (event-loop-turn.h).
 */
#include "event-loop-turn.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "watchdog.h"

typedef struct Posted Posted;
struct Posted {
	void (*callback)(void *context);
	void *context;
	Posted *next;
};

static Source *sources;
static Deadline *deadlines;		/* sorted by time */

/* The sources of the current turn; a source that is removed during the turn is cleared here. */
static Source **turn;
static struct pollfd *polled;
static int turnCapacity;
static int turnCount;
static double polledAt;
static bool isPolling;			/* from event_loop_begin_turn to event_loop_polled */
static void (*takeTurnBack)(void);

static pthread_mutex_t postedMutex = PTHREAD_MUTEX_INITIALIZER;
static Posted *firstPosted;
static Posted **lastPosted = &firstPosted;

static unsigned int postedCount;

static void run_posted(Source *source, short revents);
static Source wakeUp = { .fd = -1, .events = POLLIN, .ready = run_posted };

/* For use without memory: a post cannot be refused. */
static Posted spares[16];
static bool isSpareInUse[16];
enum { SPARES = sizeof(spares) / sizeof(*spares) };

static Posted *take_spare(void)
{
	Posted *spare = NULL;
	pthread_mutex_lock(&postedMutex);
	for (int index = 0; index < SPARES && !spare; index++) {
		if (!isSpareInUse[index]) {
			isSpareInUse[index] = true;
			spare = &spares[index];
		}
	}
	pthread_mutex_unlock(&postedMutex);
	return spare;
}

static Posted *new_posted(void)
{
	Posted *posted = malloc(sizeof(Posted));
	return posted ? posted : take_spare();
}

static void free_posted(Posted *posted)
{
	if (posted < spares || posted >= spares + SPARES) {
		free(posted);
		return;
	}
	pthread_mutex_lock(&postedMutex);
	isSpareInUse[posted - spares] = false;
	pthread_mutex_unlock(&postedMutex);
}

/* The oldest post; NULL if there is none. */
static Posted *take_posted(void)
{
	pthread_mutex_lock(&postedMutex);
	Posted *posted = firstPosted;
	if (posted) {
		firstPosted = posted->next;
		if (!firstPosted)
			lastPosted = &firstPosted;
		postedCount--;
	}
	pthread_mutex_unlock(&postedMutex);
	return posted;
}

void event_loop_wake(void)
{
	const uint64_t one = 1;
	if (write(wakeUp.fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		abort();
}

/*
 * Runs the posts that are queued now; posts by callbacks wait for the next turn. After LONG_MS, the rest waits, too,
 * so that the requests of all apps together do not delay the sources. If a callback crashes, the rest waits until the
 * next post.
 */
static void run_posted(Source *source, short revents)
{
	enum { LONG_MS = 5 };
	uint64_t ignored;
	(void)revents;
	if (read(source->fd, &ignored, sizeof(ignored)) < 0 && errno != EAGAIN)
		abort();
	pthread_mutex_lock(&postedMutex);
	unsigned int count = postedCount;
	pthread_mutex_unlock(&postedMutex);
	const double until = count > 1 ? event_loop_now() + LONG_MS : INFINITY;
	for (Posted *posted; count > 0 && (posted = take_posted());) {
		const Posted taken = *posted;
		free_posted(posted);
		taken.callback(taken.context);
		if (--count > 0 && event_loop_now() >= until)
			break;
	}
	if (count > 0)
		event_loop_wake();
}

void event_loop_open(void)
{
	wakeUp.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wakeUp.fd < 0)
		abort();
	event_loop_add(&wakeUp);
}

void event_loop_before_change(void (*callback)(void))
{
	takeTurnBack = callback;
}

static void before_change(void)
{
	if (isPolling && takeTurnBack)
		takeTurnBack();
}

void event_loop_add(Source *source)
{
	before_change();
	source->next = sources;
	sources = source;
}

void event_loop_remove(Source *source)
{
	before_change();
	for (Source **link = &sources; *link; link = &(*link)->next) {
		if (*link == source) {
			*link = source->next;
			break;
		}
	}
	for (int index = 0; index < turnCount; index++) {
		if (turn[index] == source)
			turn[index] = NULL;
	}
}

void event_loop_watch(Source *source, short events)
{
	if (source->events == events)
		return;
	before_change();
	source->events = events;
}

void event_loop_defer(Source *source)
{
	if (source->deferred)
		return;
	before_change();
	source->deferred = true;
}

void event_loop_set(Deadline *deadline, double at)
{
	event_loop_clear(deadline);
	Deadline **link = &deadlines;
	while (*link && (*link)->at <= at)
		link = &(*link)->next;
	deadline->at = at;
	deadline->isSet = true;
	deadline->next = *link;
	*link = deadline;
	if (deadline == deadlines)
		before_change();
}

void event_loop_clear(Deadline *deadline)
{
	if (!deadline->isSet)
		return;
	Deadline **link = &deadlines;
	while (*link != deadline)
		link = &(*link)->next;
	*link = deadline->next;
	deadline->isSet = false;
}

double event_loop_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	// Without a floating-point unit a division takes three times as long as a multiplication.
	return (int64_t)((uint64_t)time.tv_sec * 1000000000 + time.tv_nsec) * 1e-6;
}

/* Deadlines that callbacks set wait for the next turn, so that a deadline of 0 ms cannot starve the sources. */
static void run_deadlines(double now)
{
	while (deadlines && deadlines->at <= now) {
		Deadline *deadline = deadlines;
		deadlines = deadline->next;
		deadline->isSet = false;
		deadline->ready(deadline);
	}
}

/* @returns false if there is no memory for a longer turn */
static bool grow_turn(void)
{
	int capacity = turnCapacity ? 2 * turnCapacity : 64;
	void *longerTurn = realloc(turn, capacity * sizeof(*turn));
	if (longerTurn)
		turn = longerTurn;
	void *longerPolled = longerTurn ? realloc(polled, capacity * sizeof(*polled)) : NULL;
	if (!longerPolled)
		return false;
	polled = longerPolled;
	turnCapacity = capacity;
	return true;
}

/* Fills the turn and returns whether a source must be called back without waiting. */
static bool collect_sources(void)
{
	bool isDeferred = false;
	turnCount = 0;
	for (Source *source = sources; source; source = source->next) {
		if (turnCount == turnCapacity && !grow_turn())
			return true;		// the others are polled in the next turn, which starts without waiting
		turn[turnCount] = source;
		polled[turnCount] = (struct pollfd){
			.fd = source->events ? source->fd : -1,
			.events = source->events,
		};
		turnCount++;
		isDeferred |= source->deferred;
	}
	return isDeferred;
}

static int wait_milliseconds(double now, double until)
{
	double at = deadlines && deadlines->at < until ? deadlines->at : until;
	if (isinf(at))
		return -1;
	double wait = ceil(at - now);	// rounded up: waking too early would spin until the deadline
	return wait < 0 ? 0 : wait > 60000 ? 60000 : (int)wait;
}

struct pollfd *event_loop_begin_turn(double until, int *count, int *timeoutMs)
{
	double now = event_loop_now();
	bool isDeferred = collect_sources();
	*timeoutMs = isDeferred ? 0 : wait_milliseconds(now, until);
	*count = turnCount;
	isPolling = true;
	load_idle_begins(now);
	return polled;
}

bool event_loop_polled(void)
{
	polledAt = event_loop_now();
	isPolling = false;
	load_idle_ends(polledAt);
	watchdog_feed(polledAt);
	for (int index = 0; index < turnCount; index++) {
		if (turn[index] && (polled[index].revents || turn[index]->deferred))
			return true;
	}
	return deadlines && deadlines->at <= polledAt;
}

void event_loop_end_turn(void)
{
	for (int index = 0; index < turnCount; index++) {
		Source *source = turn[index];
		if (!source || (!polled[index].revents && !source->deferred))
			continue;
		source->deferred = false;
		source->ready(source, polled[index].revents);
	}
	turnCount = 0;
	run_deadlines(polledAt);
}

void event_loop_turn(double until)
{
	int count, timeoutMs;
	struct pollfd *descriptors = event_loop_begin_turn(until, &count, &timeoutMs);
	if (poll(descriptors, count, timeoutMs) < 0 && errno != EINTR)
		abort();
	if (event_loop_polled())
		event_loop_end_turn();
}

void event_loop_post(void (*callback)(void *context), void *context)
{
	Posted *posted;
	while (!(posted = new_posted()))
		usleep(1000);		// a post must not be lost, and the loop frees some memory
	*posted = (Posted){ .callback = callback, .context = context };
	pthread_mutex_lock(&postedMutex);
	*lastPosted = posted;
	lastPosted = &posted->next;
	postedCount++;
	pthread_mutex_unlock(&postedMutex);
	event_loop_wake();
}
