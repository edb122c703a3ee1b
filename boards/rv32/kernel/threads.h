/*
 * What the machine's own thread needs of pthread.h (threads.c), where threads take turns by themselves: one runs until it
 * waits for something. The machine's thread is the one that everything starts on; it lets the others run when it waits
 * itself, which it does in poll() and in whatever of pthread.h waits.
 */
#ifndef SVC_THREADS_H
#define SVC_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Lets each thread that can run do so once, until it waits. For the machine's thread. @returns whether there was any */
bool threads_run(void);

/* When the first of those that wait for a time can run (clock_now()); UINT64_MAX: none does. */
uint64_t threads_next_wake(void);

#endif
