/* Waiting for a time, and the clock. */
#include "scenes.h"

#include <errno.h>
#include <sys/time.h>

#include "clock.h"

/* times */

static const char *name_of(int error)
{
	return error == ETIMEDOUT ? "late" : error == EINVAL ? "invalid" : error == 0 ? "woken" : "?";
}

/* At its time is with the instructions that waking takes: they are over in less than a tenth of a millisecond. */
static void say_wait(const char *what, uint64_t until, int error)
{
	const int64_t late = clock_now() - until;
	const char *when = late < 0 ? "before its time" : late < MILLISECOND / 10 ? "at its time" : "after its time";
	say("%s: %s, %s", what, name_of(error), when);
}

static void *wake_soon(void *context)
{
	(void)context;
	wait_until(in_milliseconds(10));
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int wait_for_condition(struct timespec until)
{
	pthread_mutex_lock(&mutex);
	int error = pthread_cond_timedwait(&condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return error;
}

void show_times(void)
{
	uint64_t until = in_milliseconds(250);
	say_wait("none wakes", until, wait_until(until));
	until = in_milliseconds(250);
	pthread_t waker = start(wake_soon, NULL);
	say_wait("another wakes", until, wait_for_condition(time_at(until)));
	join(waker);
	until = clock_now();
	say_wait("it is over", until, wait_until(until));
	until = clock_now();
	say_wait("before power on", until, wait_for_condition((struct timespec){ .tv_sec = -1 }));
	say("no time: %s", name_of(wait_for_condition((struct timespec){ .tv_nsec = 1000000000 })));
}

/* order */

typedef struct {
	const char *name;
	int milliseconds;
} Sleep;

static void *sleep_for(void *context)
{
	const Sleep *sleep = context;
	const uint64_t until = in_milliseconds(sleep->milliseconds);
	say_wait(sleep->name, until, wait_until(until));
	return NULL;
}

void show_order(void)
{
	static const Sleep SLEEPS[] = { { "30", 30 }, { "10", 10 }, { "20", 20 } };
	pthread_t threads[3];
	for (int index = 0; index < 3; index++)
		threads[index] = start(sleep_for, &SLEEPS[index]);
	wait_until(in_milliseconds(25));
	say("25: machine");
	for (int index = 0; index < 3; index++)
		join(threads[index]);
}

/* clock */

#define NOTHING(COUNT) __asm__ volatile(".rept " #COUNT "\n\tnop\n\t.endr")

void show_clock(void)
{
	uint64_t before = clock_instructions();
	NOTHING(100);
	uint64_t between = clock_instructions();
	NOTHING(1700);
	uint64_t after = clock_instructions();
	say("%d instructions", (int)((after - between) - (between - before)));
	before = clock_now();
	NOTHING(100);
	between = clock_now();
	NOTHING(1700);
	after = clock_now();
	say("%d ns", (int)((after - between) - (between - before)));
	before = clock_instructions();
	const uint64_t at = in_milliseconds(3600 * 1000);
	clock_wait_until(at);
	say("%s an hour, of less than %d instructions", clock_now() < at ? "before" : "after",
		(int)((clock_instructions() - before) / 1000 + 1) * 1000);
	clock_wait_until(0);
	struct timespec monotonic;
	struct timeval ofDay;
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	gettimeofday(&ofDay, NULL);
	const int64_t ns = clock_now() - (monotonic.tv_sec * 1000000000 + monotonic.tv_nsec);
	const int64_t us = clock_now() / 1000 - (ofDay.tv_sec * 1000000 + ofDay.tv_usec);
	say("%s", ns > 0 && ns < MILLISECOND && us >= 0 && us < 1000 ? "all clocks are one" : "clocks differ");
}
