/*
 * What a program sees of rv32/kernel's threads and clock. Each scene prints its name after a number sign, and then a line
 * for each thing that happens in it, in the order in which it does.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "clock.h"
#include "device/hosts/posix/native/fair-mutex.h"
#include "threads.h"

enum { MILLISECOND = 1000 * 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition, other;

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	vprintf(format, values);
	va_end(values);
	putchar('\n');
}

static pthread_t start(void *(*run)(void *), const void *context)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, (void *)context) != 0)
		abort();
	return thread;
}

static void *join(pthread_t thread)
{
	void *result;
	if (pthread_join(thread, &result) != 0)
		abort();
	return result;
}

static struct timespec time_at(uint64_t nanoseconds)
{
	return (struct timespec){ .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
}

static uint64_t in_milliseconds(int milliseconds)
{
	return clock_now() + (int64_t)milliseconds * MILLISECOND;
}

/* Nobody else waits for this condition, so only the time ends it. */
static int wait_until(uint64_t at)
{
	pthread_cond_t never;
	const struct timespec time = time_at(at);
	pthread_cond_init(&never, NULL);
	pthread_mutex_lock(&mutex);
	int error = pthread_cond_timedwait(&never, &mutex, &time);
	pthread_mutex_unlock(&mutex);
	return error;
}

static void pause_shortly(void)
{
	wait_until(in_milliseconds(1));
}

/* turns */

static void *pause_twice(void *name)
{
	for (int turn = 1; turn <= 3; turn++) {
		say("%s %d", (char *)name, turn);
		pause_shortly();
	}
	return NULL;
}

static void *work(void *name)
{
	say("%s begins", (char *)name);
	for (uint64_t end = in_milliseconds(5); clock_now() < end; )
		;
	say("%s ends", (char *)name);
	return NULL;
}

static void show_turns(void)
{
	pthread_t threads[] = { start(pause_twice, "a"), start(pause_twice, "b"), start(work, "worker") };
	say("machine waits");
	for (int index = 0; index < 3; index++)
		join(threads[index]);
	say("machine goes on");
}

/* rounds */

static void *wake(void *name)
{
	say("%s wakes whoever waits", (char *)name);
	pthread_cond_signal(&condition);
	return NULL;
}

static void *wait_once(void *name)
{
	pthread_mutex_lock(&mutex);
	say("%s waits", (char *)name);
	pthread_cond_wait(&condition, &mutex);
	say("%s goes on", (char *)name);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *sleep_long(void *context)
{
	(void)context;
	wait_until(3600 * 1000000000ull);
	return NULL;
}

static void say_round(void)
{
	say("%s", threads_run() ? "a round" : "nobody");
}

static void show_rounds(void)
{
	pthread_t threads[] = { start(wait_once, "a"), start(wake, "b") };
	for (int index = 0; index < 3; index++)
		say_round();
	join(threads[0]);
	join(threads[1]);
	say("%s", threads_next_wake() == UINT64_MAX ? "nobody waits for a time" : "somebody waits");
	pthread_t sleeper = start(sleep_long, NULL);
	say_round();
	say_round();
	say("the next is at %lu s", (unsigned long)(threads_next_wake() / 1000000000));
	const uint64_t at = threads_next_wake();
	clock_wait_until(at - MILLISECOND);
	say_round();
	clock_wait_until(at);
	say_round();
	join(sleeper);
}

/* conditions */

static void *wait_for_other(void *name)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&other, &mutex);
	say("%s goes on", (char *)name);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void run_all(void)
{
	while (threads_run())
		;
}

static void show_conditions(void)
{
	pthread_t threads[] = { start(wait_once, "a"), start(wait_once, "b"), start(wait_once, "c") };
	pthread_t stranger = start(wait_for_other, "stranger");
	run_all();
	say("one");
	pthread_cond_signal(&condition);
	run_all();
	say("all");
	pthread_cond_broadcast(&condition);
	run_all();
	say("none");
	pthread_cond_signal(&condition);
	pthread_cond_broadcast(&condition);
	run_all();
	say("the other");
	pthread_cond_signal(&other);
	join(stranger);
	for (int index = 0; index < 3; index++)
		join(threads[index]);
}

/* times */

static const char *name_of(int error)
{
	return error == ETIMEDOUT ? "late" : error == EINVAL ? "invalid" : error == 0 ? "woken" : "?";
}

/* By how much it was late, in steps of a tenth of a millisecond of which none is to be seen. */
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

static void show_times(void)
{
	uint64_t until = in_milliseconds(250);
	say_wait("nobody wakes", until, wait_until(until));
	until = in_milliseconds(250);
	pthread_t waker = start(wake_soon, NULL);
	say_wait("somebody wakes", until, wait_for_condition(time_at(until)));
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

static void show_order(void)
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

/* mutexes */

static pthread_mutex_t fair;

static void *lock_twice(void *name)
{
	for (int time = 1; time <= 2; time++) {
		pthread_mutex_lock(&fair);
		say("%s %d", (char *)name, time);
		pause_shortly();
		pthread_mutex_unlock(&fair);
	}
	return NULL;
}

static void show_mutexes(void)
{
	fair_mutex_init(&fair);
	pthread_mutex_lock(&fair);
	pthread_t threads[] = { start(lock_twice, "a"), start(lock_twice, "b") };
	run_all();
	say("machine unlocks");
	pthread_mutex_unlock(&fair);
	pthread_mutex_lock(&fair);
	say("machine has it again");
	pthread_mutex_unlock(&fair);
	join(threads[0]);
	join(threads[1]);
	say("%s", pthread_mutex_destroy(&fair) == 0 ? "nobody has it" : "somebody has it");
}

/* results */

static void *give(void *result)
{
	pause_shortly();
	return result;
}

static void *join_other(void *thread)
{
	return join(thread);
}

static void show_results(void)
{
	say("%s", (char *)join(start(give, "waited for")));
	pthread_t thread = start(give, "over for long");
	wait_until(in_milliseconds(100));
	say("%s", (char *)join(thread));
	say("%s", (char *)join(start(join_other, start(give, "joined by another"))));
	say("itself: %s", pthread_join(pthread_self(), NULL) == EDEADLK ? "refused" : "?");
}

/* memory */

static void *use_stack(void *context)
{
	volatile char bytes[1024] = { 1 };
	pause_shortly();
	return bytes[0] ? context : NULL;
}

static void join_one(void)
{
	join(start(use_stack, NULL));
}

static void detach_one_that_runs(void)
{
	pthread_detach(start(use_stack, NULL));
	wait_until(in_milliseconds(2));
}

static void detach_one_that_has_ended(void)
{
	pthread_t thread = start(use_stack, NULL);
	wait_until(in_milliseconds(2));
	pthread_detach(thread);
}

/* After the first of them, the heap grows no more. */
static void show_growth(const char *what, void (*run)(void))
{
	enum { TIMES = 100 };
	run();
	const char *end = sbrk(0);
	for (int index = 0; index < TIMES; index++)
		run();
	say("%s: %s", what, sbrk(0) == end ? "no more memory" : "more memory");
}

static void show_memory(void)
{
	show_growth("joined", join_one);
	show_growth("detached", detach_one_that_runs);
	show_growth("detached after their end", detach_one_that_has_ended);
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1024 * 1024 * 1024);
	say("too large: %s", pthread_create(&thread, &attributes, use_stack, NULL) == EAGAIN ? "refused" : "?");
	say("too small: %s", pthread_attr_setstacksize(&attributes, 1) == EINVAL ? "refused" : "?");
	pthread_attr_destroy(&attributes);
}

/* locals */

enum { ALIGNMENT = 64 };
static _Thread_local int seven = 7;
static _Thread_local int zero;
static _Thread_local _Alignas(ALIGNMENT) char aligned[ALIGNMENT];

static void say_locals(const char *name)
{
	uintptr_t volatile address = (uintptr_t)aligned;		// else the compiler knows what it should be
	say("%s %d %d %d, %s", name, seven, zero, errno, address % ALIGNMENT ? "not aligned" : "aligned");
}

static void *change_locals(void *name)
{
	say_locals(name);
	seven += 10;
	zero += 20;
	errno = EBUSY;
	pause_shortly();
	say_locals(name);
	return &seven;
}

static void show_locals(void)
{
	seven = 1;
	zero = 2;
	errno = 0;
	pthread_t threads[] = { start(change_locals, "a"), start(change_locals, "b") };
	void *first = join(threads[0]);
	say("%s", first == join(threads[1]) ? "the same" : "each its own");
	say_locals("machine");
}

/* registers */

unsigned int count_changed_registers(void (*wait)(void), uint32_t seed);

static void *count_changed(void *seed)
{
	return (void *)(uintptr_t)count_changed_registers(pause_shortly, (uintptr_t)seed);
}

static void show_registers(void)
{
	pthread_t threads[] = { start(count_changed, "a"), start(count_changed, "b") };
	const unsigned int ofMachine = count_changed_registers(pause_shortly, 1234567);
	const unsigned int ofFirst = (uintptr_t)join(threads[0]);
	say("%u, %u, %u", ofMachine, ofFirst, (unsigned int)(uintptr_t)join(threads[1]));
}

/* stacks */

static void *look_at_stack(void *context)
{
	(void)context;
	say("%s", (uintptr_t)__builtin_frame_address(0) % 16 ? "not aligned" : "aligned");
	return NULL;
}

static void show_stacks(void)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	for (size_t stackBytes = 3001; stackBytes <= 3003; stackBytes++) {
		pthread_t thread;
		pthread_attr_setstacksize(&attributes, stackBytes);
		pthread_create(&thread, &attributes, look_at_stack, NULL);
		join(thread);
	}
}

/* clock */

#define NOTHING(COUNT) __asm__ volatile(".rept " #COUNT "\n\tnop\n\t.endr")

static void show_clock(void)
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

static const struct {
	const char *name;
	void (*show)(void);
} SCENES[] = {
	{ "turns", show_turns },
	{ "rounds", show_rounds },
	{ "conditions", show_conditions },
	{ "times", show_times },
	{ "order", show_order },
	{ "mutexes", show_mutexes },
	{ "results", show_results },
	{ "memory", show_memory },
	{ "locals", show_locals },
	{ "registers", show_registers },
	{ "stacks", show_stacks },
	{ "clock", show_clock },
};

int main(void)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&condition, &attributes);
	pthread_cond_init(&other, &attributes);
	pthread_condattr_destroy(&attributes);
	for (size_t index = 0; index < sizeof(SCENES) / sizeof(*SCENES); index++) {
		say("# %s", SCENES[index].name);
		SCENES[index].show();
	}
	say("# count");
	say("%lu instructions", (unsigned long)clock_instructions());
	return 0;
}
