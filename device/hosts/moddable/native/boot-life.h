/* The boot loader's functions for start.c. */
#ifndef SVC_BOOT_LIFE_H
#define SVC_BOOT_LIFE_H

/* Returns if the selected firmware is this library; otherwise starts the process again. */
void boot_begin(void);

/* During a trial: sets the time limit for its confirmation. */
void boot_limit_trial(double seconds);

/* Call it after each turn of the event loop: ends the run if that was requested. */
void boot_check_end(void);

/*
 * For the watchdog's signal handler: ends the run, which has not returned to the event loop `since` (of
 * event_loop_now()).
 */
void boot_end_hung_run(double since);

#endif
