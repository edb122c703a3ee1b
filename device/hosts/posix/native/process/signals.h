/* SIGTERM, SIGINT and SIGHUP as one callback in the event loop, SIGUSR1 as another. */
#ifndef SVC_SIGNALS_H
#define SVC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* If a program blocks the event loop, a signal to terminate kills the process after two seconds. */
void signals_open(void (*onTermination)(void), void (*onUser)(void));

/* The four signals. Signals that arrive while blocked are handled in signals_open. */
sigset_t signals_handled(void);

/* Whether the process has been asked to end. Async-signal-safe if the four signals are blocked. */
bool signals_are_terminating(void);

#endif
