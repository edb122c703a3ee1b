/* SIGTERM, SIGINT and SIGHUP as one callback in the event loop, SIGUSR1 as another. */
#ifndef SVC_SIGNALS_H
#define SVC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A program that keeps the loop from hearing of the signal is ended by force after two seconds. */
void signals_open(void (*onTermination)(void), void (*onUser)(void));

/* The four. Those that have come while they were blocked come with signals_open. */
sigset_t signals_handled(void);

/* Whether the process has been asked to end. Safe in a signal handler that the four wait for. */
bool signals_are_terminating(void);

#endif
