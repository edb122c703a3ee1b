/* The load of the management machine's task. */
#ifndef SVC_LOAD_H
#define SVC_LOAD_H

/* Selects the calling task. */
void load_of_this_task(void);

/* From now on, takes a sample every half second. */
void load_watch(void);

/* In percent, over the last five seconds. */
int load_percent(void);

#endif
