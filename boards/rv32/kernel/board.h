/* What the kernel asks of the board around it. */
#ifndef SVC_BOARD_H
#define SVC_BOARD_H

/* The end of the run: the process ends with this exit status. Whatever the board still keeps in memory is written before. */
_Noreturn void board_power_off(int status);

#endif
