/* What main.c needs of the boot loader. */
#ifndef SVC_BOOT_LOOP_H
#define SVC_BOOT_LOOP_H

/* Boots firmware until the process is to end. @returns its exit status */
int boot_loop(void);

/*
 * The watchdog ends the run, which has not come back `since` (of event_loop_now()), and the process with it: the
 * next start is told so. In its signal handler.
 */
void boot_note_watchdog(double since);

/* Ends the process immediately, leaving nothing behind in the file system that only makes sense while it runs. */
_Noreturn void boot_exit(int status);

#endif
