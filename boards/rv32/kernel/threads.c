/*
 * Cooperative threads. The machine's thread switches to another thread, and gets control back when that one waits or
 * ends. Nothing else switches, so the order of events depends on the program alone. A thread's stack ends in a mark
 * that is checked after each switch back.
 */
#include "threads.h"

#include <picotls.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "thread.h"

/* The frame that switch_stacks() pops from a stack that it enters. */
typedef struct {
	void (*next)(void);
	void *variables;
	uint32_t preserved[12];
	uint32_t alignment[2];
} StackTop;

enum { STACK_ALIGNMENT = 16 };
static const uint32_t STACK_END = 0x7a3c51e9;

static Thread machine;
static Thread *running = &machine;
static Thread *firstReady;
static Thread *firstToWake;		/* sorted by time */

void switch_stacks(uintptr_t *from, uintptr_t to);

void thread_fail(const char *problem)
{
	fprintf(stderr, "threads: %s\n", problem);
	abort();
}

Thread *thread_running(void)
{
	return running;
}

static void enter_queue(Thread *thread, Thread **queue)
{
	Thread **link = queue;
	while (*link)
		link = &(*link)->next;
	thread->queue = queue;
	thread->next = NULL;
	*link = thread;
}

static void leave_queue(Thread *thread)
{
	Thread **link = thread->queue;
	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
	thread->queue = NULL;
}

static void set_alarm(Thread *thread, uint64_t at)
{
	Thread **link = &firstToWake;
	thread->wakeAt = at;
	if (at == NEVER)
		return;
	while (*link && (*link)->wakeAt <= at)
		link = &(*link)->nextToWake;
	thread->nextToWake = *link;
	*link = thread;
}

static void clear_alarm(Thread *thread)
{
	Thread **link = &firstToWake;
	if (thread->wakeAt == NEVER)
		return;
	while (*link != thread)
		link = &(*link)->nextToWake;
	*link = thread->nextToWake;
}

/* The machine's thread needs no queue: it continues as soon as its wait ends. */
static void make_ready(Thread *thread)
{
	leave_queue(thread);
	clear_alarm(thread);
	thread->isWaiting = false;
	if (thread != &machine)
		enter_queue(thread, &firstReady);
}

static void wake_late(void)
{
	if (!firstToWake)
		return;
	const uint64_t now = clock_now();
	while (firstToWake && firstToWake->wakeAt <= now) {
		firstToWake->isLate = true;
		make_ready(firstToWake);
	}
}

/*
 * Runs the first runnable thread until it waits or ends.
 * @returns that thread; it may be free memory
 */
static Thread *run_first(void)
{
	Thread *thread = firstReady;
	leave_queue(thread);
	running = thread;
	switch_stacks(&machine.stackPointer, thread->stackPointer);
	running = &machine;
	if (*(uint32_t *)thread->stack != STACK_END)
		thread_fail("a thread has left its stack");
	if (thread->hasEnded && thread->isDetached)
		thread_free(thread);
	return thread;
}

/* Runs the other threads while the machine's thread waits; if none is runnable, time passes. */
static void run_others(void)
{
	for (wake_late(); machine.isWaiting; wake_late()) {
		if (firstReady)
			(void)run_first();
		else if (firstToWake)
			clock_wait_until(firstToWake->wakeAt);
		else
			thread_fail("the machine waits for a thread, and all of them wait as well");
	}
}

bool thread_wait(Thread **queue, uint64_t until)
{
	Thread *thread = running;
	thread->isWaiting = true;
	thread->isLate = false;
	enter_queue(thread, queue);
	set_alarm(thread, until);
	if (thread == &machine)
		run_others();
	else
		switch_stacks(&thread->stackPointer, machine.stackPointer);
	return !thread->isLate;
}

Thread *thread_wake(Thread **queue)
{
	Thread *thread = *queue;
	if (thread)
		make_ready(thread);
	return thread;
}

/* Runs the threads that are runnable now, but not those that become runnable meanwhile. */
bool threads_run(void)
{
	wake_late();
	Thread *last = firstReady;
	if (!last)
		return false;
	while (last->next)
		last = last->next;
	while (run_first() != last)
		;
	return true;
}

uint64_t threads_next_wake(void)
{
	return firstToWake ? firstToWake->wakeAt : NEVER;
}

/* Entry point of a thread. The scheduler never enters its stack again after its last turn. */
static void begin(void)
{
	Thread *thread = running;
	thread->result = thread->run(thread->context);
	thread->hasEnded = true;
	while (thread_wake(&thread->firstJoining))
		;
	switch_stacks(&thread->stackPointer, machine.stackPointer);
}

bool thread_start(Thread *thread, size_t stackBytes)
{
	thread->stack = malloc(stackBytes);
	thread->variables = aligned_alloc(_tls_align(), _tls_size());
	if (!thread->stack || !thread->variables)
		return false;
	_init_tls(thread->variables);
	*(uint32_t *)thread->stack = STACK_END;
	const uintptr_t end = ((uintptr_t)thread->stack + stackBytes) / STACK_ALIGNMENT * STACK_ALIGNMENT;
	StackTop *top = (StackTop *)end - 1;
	*top = (StackTop){ .next = begin, .variables = thread->variables };
	thread->stackPointer = (uintptr_t)top;
	enter_queue(thread, &firstReady);
	return true;
}

void thread_free(Thread *thread)
{
	free(thread->stack);
	free(thread->variables);
	free(thread);
}
