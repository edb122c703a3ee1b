/* A mutex for data that apps' threads share with the thread of the management machine. */
#ifndef SVC_FAIR_MUTEX_H
#define SVC_FAIR_MUTEX_H

#include <pthread.h>

/*
 * A mutex that goes to the thread that has waited longest. With a normal mutex, a thread that unlocks and locks again
 * in a loop gets it back before another thread has woken up: four apps that logged in a loop delayed the machine's
 * next turn by half a second at a time. glibc has no fair mutex, but with priority inheritance the kernel passes the
 * mutex on.
 */
void fair_mutex_init(pthread_mutex_t *mutex);

#endif
