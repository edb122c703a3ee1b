/* SIGTERM, SIGINT and SIGHUP as one callback in the event loop, SIGUSR1 as another. */
#ifndef SVC_SIGNALS_H
#define SVC_SIGNALS_H

/* A program that keeps the loop from hearing of the signal is ended by force after two seconds. */
void signals_open(void (*onTermination)(void), void (*onUser)(void));

#endif
