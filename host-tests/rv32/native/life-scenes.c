/* What a thread has of its own, and what is left of it. */
#include "scenes.h"

#include <errno.h>
#include <unistd.h>

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

void show_results(void)
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

void show_memory(void)
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

void show_locals(void)
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

void show_registers(void)
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

void show_stacks(void)
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
