/* Plays the scenes (scenes.h), each after its name and a number sign; then tells what all of them have taken. */
#include "scenes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "threads.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition;

void say(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	vprintf(format, values);
	va_end(values);
	putchar('\n');
}

pthread_t start(void *(*run)(void *), const void *context)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, (void *)context) != 0)
		abort();
	return thread;
}

void *join(pthread_t thread)
{
	void *result;
	if (pthread_join(thread, &result) != 0)
		abort();
	return result;
}

struct timespec time_at(uint64_t nanoseconds)
{
	return (struct timespec){ .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
}

uint64_t in_milliseconds(int milliseconds)
{
	return clock_now() + (int64_t)milliseconds * MILLISECOND;
}

int wait_until(uint64_t at)
{
	pthread_cond_t never;
	const struct timespec time = time_at(at);
	pthread_cond_init(&never, NULL);
	pthread_mutex_lock(&mutex);
	int error = pthread_cond_timedwait(&never, &mutex, &time);
	pthread_mutex_unlock(&mutex);
	return error;
}

void pause_shortly(void)
{
	wait_until(in_milliseconds(1));
}

void run_all(void)
{
	while (threads_run())
		;
}

static const struct {
	const char *name;
	void (*show)(void);
} SCENES[] = {
	{ "switches", show_switches },
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
	pthread_condattr_destroy(&attributes);
	for (size_t index = 0; index < sizeof(SCENES) / sizeof(*SCENES); index++) {
		say("# %s", SCENES[index].name);
		SCENES[index].show();
	}
	say("# count");
	say("%lu instructions", (unsigned long)clock_instructions());
	return 0;
}
