/* A state directory belongs to one console at a time: two consoles would corrupt it. */
#ifndef SVC_STATE_LOCK_H
#define SVC_STATE_LOCK_H

/*
 * Creates the directory if it is missing. Exits with status 1 and a message if another console has it. The kernel
 * releases the lock when the process ends.
 */
void state_lock(void);

#endif
