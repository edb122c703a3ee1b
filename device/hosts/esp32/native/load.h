/* How busy the management machine's task is. */
#ifndef SVC_LOAD_H
#define SVC_LOAD_H

/* It is the calling task that counts. */
void load_of_this_task(void);

/* Takes a sample every half second from now on. */
void load_watch(void);

/* 0 to 100, over the last five seconds. */
int load_percent(void);

#endif
