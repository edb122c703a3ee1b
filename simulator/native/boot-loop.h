/* The boot loader's functions for main.c. */
#ifndef SVC_BOOT_LOOP_H
#define SVC_BOOT_LOOP_H

/*
 * Boots firmware until the process is to end.
 * @returns its exit status
 */
int boot_loop(void);

/*
 * For the watchdog's signal handler: notes that the run, which has not returned to the event loop `since` (of
 * event_loop_now()), ends with the process. The next start reads the note.
 */
void boot_note_watchdog(double since);

/* Exits immediately and removes files that are valid only while the process runs. */
_Noreturn void boot_exit(int status);

#endif
