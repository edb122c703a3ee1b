/* The state directory belongs to one console at a time: two of them on one flash would ruin it. */
#ifndef SVC_STATE_LOCK_H
#define SVC_STATE_LOCK_H

/*
 * Makes the directory where it is missing. Exits with status 1 and a message where another console has it. The lock
 * goes with the process, however that ends.
 */
void state_lock(void);

#endif
