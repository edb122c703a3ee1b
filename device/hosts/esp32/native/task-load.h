/* The load of the management machine's task. */
#ifndef SVC_TASK_LOAD_H
#define SVC_TASK_LOAD_H

/* Selects the calling task. */
void task_load_of_this_task(void);

/* From now on, takes a sample every half second. */
void task_load_watch(void);

/* In percent, over the last five seconds. */
int task_load_percent(void);

#endif
