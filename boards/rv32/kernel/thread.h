/* A thread, and its waiting: what the functions of pthread.h share with those of threads.h. */
#ifndef SVC_THREAD_H
#define SVC_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct pthread Thread;

/*
 * A thread that does not run is in one queue: of those that can, or of those that wait for the same mutex, condition or
 * end of a thread. Its head is a pointer to the first, so one of zeros is empty.
 */
struct pthread {
	uintptr_t stackPointer;		/* while it does not run */
	void *stack;
	void *variables;			/* its copy of what is _Thread_local */
	void *(*run)(void *context);
	void *context;
	void *result;
	Thread *firstJoining;
	Thread **queue;
	Thread *next;				/* in the queue */
	uint64_t wakeAt;			/* clock_now(); NEVER */
	Thread *nextToWake;			/* among those that wait for a time */
	bool isWaiting;
	bool isLate;				/* its time came before what it waited for */
	bool hasEnded;
	bool isDetached;
};

static const uint64_t NEVER = UINT64_MAX;

/* Whose turn it is. */
Thread *thread_running(void);

/* Yields until thread_wake() or a deadline. @returns whether thread_wake() came before the deadline */
bool thread_wait(Thread **queue, uint64_t until);

/* Makes the first thread in the queue runnable. @returns NULL where the queue is empty */
Thread *thread_wake(Thread **queue);

/* Readies a thread whose `run` and `context` are set for its first turn. @returns whether there was memory for it */
bool thread_start(Thread *thread, size_t stackBytes);

/* It has ended. */
void thread_free(Thread *thread);

/* Tells what is wrong with the threads, and ends the program. */
_Noreturn void thread_fail(const char *problem);

#endif
