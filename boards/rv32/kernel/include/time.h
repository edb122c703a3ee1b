/* picolibc's header, and the POSIX functions that it leaves out without timers. */
#ifndef SVC_TIME_H
#define SVC_TIME_H

#include_next <time.h>

#define CLOCK_MONOTONIC ((clockid_t)4)

/* For any clock: the time since power on (clock.h). */
int clock_gettime(clockid_t clock, struct timespec *time);

#endif
