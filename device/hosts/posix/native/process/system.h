/* The part of svc/system that main.c drives. */
#ifndef SVC_SYSTEM_H
#define SVC_SYSTEM_H

/* Lets the program say goodbye, then ends the run. */
void system_shut_down(void);

/* What the program needs of its heap beyond itself, as JSON on standard error: benchmarks ask by SIGUSR1. */
void system_print_heap(void);

#endif
