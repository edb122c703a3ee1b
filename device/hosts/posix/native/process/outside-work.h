/*
 * Whether what the program does right now is because of something that the network has brought: a callback of a
 * socket, the jobs that it leaves behind, and the timers that it sets. The mark is in memory that outlives a crash, so
 * that the boot loader can tell a crash that an attacker may have provoked from one of the firmware's own.
 */
#ifndef SVC_OUTSIDE_WORK_H
#define SVC_OUTSIDE_WORK_H

#include <stdbool.h>

/* @returns what it was, for outside_work_end */
bool outside_work_begin(bool isFromOutside);
void outside_work_end(bool before);

/* Also after a crash, until a run begins. */
bool outside_work_is_under_way(void);

#endif
