/* The board's functions for the kernel. */
#ifndef SVC_BOARD_H
#define SVC_BOARD_H

/* Ends the run: the process ends with this exit status. Buffered output is written first. */
_Noreturn void board_power_off(int status);

#endif
