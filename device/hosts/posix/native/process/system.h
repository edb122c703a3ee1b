/* The part of svc/system that main.c drives. */
#ifndef SVC_SYSTEM_H
#define SVC_SYSTEM_H

/* Notifies the program, then ends the run. */
void system_shut_down(void);

/*
 * Prints the heap that the program needs, without the program itself, as JSON on standard error: benchmarks request it
 * by SIGUSR1.
 */
void system_print_heap(void);

#endif
