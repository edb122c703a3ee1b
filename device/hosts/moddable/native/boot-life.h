/* What start.c needs of the boot loader. */
#ifndef SVC_BOOT_LIFE_H
#define SVC_BOOT_LIFE_H

/* Returns where the firmware that is to run is this one; starts the process again where it is not. */
void boot_begin(void);

/* Where this run is a trial: how long it may take to be confirmed. */
void boot_limit_trial(double seconds);

/* Belongs after each turn of the event loop: ends the run where it has been asked to end. */
void boot_look_for_end(void);

/* The watchdog ends the run, which has not come back `since` (of event_loop_now()). In its signal handler. */
void boot_end_hung_run(double since);

#endif
