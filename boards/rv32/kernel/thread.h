/* Threads and their queues, shared by the functions of pthread.h and threads.h. */
#ifndef SVC_THREAD_H
#define SVC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pthread Thread;

/*
 * A thread that is not running is in one queue: that of runnable threads, or of those that wait for the same mutex,
 * condition or end of a thread. A queue is a pointer to its first thread, so a zero is an empty queue.
 */
struct pthread {
	uintptr_t stackPointer;		/* while it is not running */
	void *stack;
	void *variables;			/* its copy of _Thread_local variables */
	void *(*run)(void *context);
	void *context;
	void *result;
	Thread *firstJoining;
	Thread **queue;
	Thread *next;				/* in the queue */
	uint64_t wakeAt;			/* clock_now(), or NEVER */
	Thread *nextToWake;			/* in the list of threads with a deadline */
	bool isWaiting;
	bool isLate;				/* its deadline passed before it was woken */
	bool hasEnded;
	bool isDetached;
};

static const uint64_t NEVER = UINT64_MAX;

/* The running thread. */
Thread *thread_running(void);

/*
 * Yields until thread_wake() or a deadline.
 * @returns whether thread_wake() came before the deadline
 */
bool thread_wait(Thread **queue, uint64_t until);

/*
 * Makes the first thread in the queue runnable.
 * @returns NULL if the queue is empty
 */
Thread *thread_wake(Thread **queue);

/*
 * Makes a thread runnable whose `run` and `context` are set.
 * @returns whether there was enough memory
 */
bool thread_start(Thread *thread, size_t stackBytes);

/* Frees a thread that has ended. */
void thread_free(Thread *thread);

/* Reports an error in the use of threads and ends the run. */
_Noreturn void thread_fail(const char *problem);

#endif
