/* A mutex for what apps' threads share with the thread of the management machine. */
#ifndef SVC_FAIR_MUTEX_H
#define SVC_FAIR_MUTEX_H

#include <pthread.h>

/*
 * A mutex that goes to the thread that has waited longest. With a usual one, a thread that unlocks and locks again in a
 * loop has it back before another has woken up: four apps that logged in a loop kept the machine from its next turn
 * for half a second at a time. glibc has no fair kind, but the kernel hands over one with priority inheritance.
 */
void fair_mutex_init(pthread_mutex_t *mutex);

#endif
