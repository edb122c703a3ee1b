/* Switches between threads, and waits for conditions. */
#include "scenes.h"

#include "clock.h"
#include "device/hosts/posix/native/process/fair-mutex.h"
#include "threads.h"

/* switches */

static void *run_three_times(void *name)
{
	for (int count = 1; count <= 3; count++) {
		say("%s %d", (char *)name, count);
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

void show_switches(void)
{
	pthread_t threads[] = { start(run_three_times, "a"), start(run_three_times, "b"), start(work, "worker") };
	say("machine waits");
	for (int index = 0; index < 3; index++)
		join(threads[index]);
	say("machine goes on");
}

/* rounds */

static void *wake(void *name)
{
	say("%s wakes those that wait", (char *)name);
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
	say("%s", threads_run() ? "a round" : "none");
}

void show_rounds(void)
{
	pthread_t threads[] = { start(wait_once, "a"), start(wake, "b") };
	for (int index = 0; index < 3; index++)
		say_round();
	join(threads[0]);
	join(threads[1]);
	say("%s", threads_next_wake() == UINT64_MAX ? "none waits for a time" : "one waits");
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

static pthread_cond_t other;

static void *wait_for_other(void *name)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&other, &mutex);
	say("%s goes on", (char *)name);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

void show_conditions(void)
{
	pthread_t threads[] = { start(wait_once, "a"), start(wait_once, "b"), start(wait_once, "c") };
	pthread_cond_init(&other, NULL);
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

void show_mutexes(void)
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
	say("%s", pthread_mutex_destroy(&fair) == 0 ? "none has it" : "one has it");
}
