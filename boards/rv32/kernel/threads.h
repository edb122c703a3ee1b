/*
 * Functions for the machine's own thread (threads.c). Threads are cooperative: a thread runs until it waits. The
 * machine's thread is the initial one; other threads run while it waits, in poll() and in functions of pthread.h.
 */
#ifndef SVC_THREADS_H
#define SVC_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Lets each runnable thread run once, until it waits. Only for the machine's thread.
 * @returns whether there was any
 */
bool threads_run(void);

/* The earliest deadline of a waiting thread (clock_now()); UINT64_MAX: there is none. */
uint64_t threads_next_wake(void);

#endif
