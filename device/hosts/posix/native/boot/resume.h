/*
 * What of the process outlives a reset by the watchdog, for which the process starts again in place: the same
 * executable with the same arguments and process id, and with none of its memory. To its parent it is one process as
 * before, so a few facts must outlive the reset; the file that owns a fact keeps it here, and the environment hands it
 * over. One descriptor outlives the reset too: the USB port's.
 *
 * Where firmware is a library that the engine's own process loads, every restart is like that.
 */
#ifndef SVC_RESUME_H
#define SVC_RESUME_H

#include <stdbool.h>

#include "slot.h"

/* What has been chosen to run, by a process that could not run it: it had loaded other firmware, or had used it up. */
typedef struct {
	bool isChosen;					/* else the choice is still to be made, and these fields are unused */
	bool isTrial;					/* it is the trial of new firmware */
	bool isAfterSpentTrial;			/* the previous trial had no result about its firmware (spent-trial.h) */
	char resetReason[16];			/* reported to the program */
} BootHandover;

typedef struct {
	unsigned int bootNumber;		/* of the latest run (boot.c); 0: there was none */
	Slot slot;						/* that it ran from (boot.c) */
	unsigned int failureCount;		/* crashes and hangs in a row (boot.c) */
	unsigned long operationCount;	/* of storage (power.c) */
	bool isReadyPrinted;			/* the line on standard output (ready-line.c) */
	int httpPort;					/* what the program listens on (options.c); 0: it never did */
	int wsPort;
	int usbMaster;					/* descriptor of the pseudo-terminal (usb-port.c); -1: none */
	BootHandover next;				/* the run to come, where it is another process that chose it */
} Resume;

/* All zero, and no terminal, unless a reset has left something. */
extern Resume resume;

/*
 * Takes what a reset has left out of the environment, and keeps what another one will need; `arguments` as they
 * were given to main. To be called before anything else; the environment is not to change afterwards. Exits with
 * status 2 where what is there was not left by a reset.
 */
void resume_open(char *arguments[]);

/* Starts the process again. For a signal handler: calls nothing that is not safe there. */
_Noreturn void resume_restart(void);

#endif
