/*
 * Whether the program is handling network input: a callback of a socket, the promise jobs that it queues, and the
 * timers that it sets. The mark is in memory that survives a crash, so that the boot loader can distinguish a crash
 * that an attacker may have caused from one of the firmware's own.
 */
#ifndef SVC_OUTSIDE_WORK_H
#define SVC_OUTSIDE_WORK_H

#include <stdbool.h>

/* @returns the previous state, for outside_work_end */
bool outside_work_begin(bool isFromOutside);
void outside_work_end(bool before);

/* Also after a crash, until the next run starts. */
bool outside_work_is_under_way(void);

#endif
