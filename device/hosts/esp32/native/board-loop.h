/* The event loop (event-loop.h) beside the Moddable SDK's own, which waits for messages to the machine. */
#ifndef SVC_BOARD_LOOP_H
#define SVC_BOARD_LOOP_H

/* Call it on the machine's task, once `machine` exists, and before the first source or post. */
void board_loop_start(void);

#endif
