/*
 * State of the process that survives a reset by the watchdog, for which the process starts again in place: the same
 * executable with the same arguments and process id, but without its memory. For its parent it is still the same
 * process, so a few facts must survive; the file that owns a fact keeps it here, and the environment passes it on. Two
 * descriptors survive, too: the USB port's and the window's.
 *
 * If firmware is a library that the engine's own process loads, every restart works like this.
 */
#ifndef SVC_RESUME_H
#define SVC_RESUME_H

#include <stdbool.h>

#include "slot.h"

/*
 * The selection of a process that could not run it, because it had loaded other firmware or had already used up this
 * one.
 */
typedef struct {
	bool isChosen;					/* otherwise nothing is selected yet, and these fields are unused */
	bool isTrial;					/* it is the trial of new firmware */
	bool isAfterSpentTrial;			/* the previous trial said nothing about its firmware (spent-trial.h) */
	char resetReason[16];			/* reported to the program */
} BootHandover;

typedef struct {
	unsigned int bootNumber;		/* of the latest run (boot.c); 0: no run so far */
	Slot slot;						/* of the latest run (boot.c) */
	unsigned int failureCount;		/* crashes and hangs in a row (boot.c) */
	unsigned long operationCount;	/* storage operations so far (power.c) */
	bool isReadyPrinted;			/* the line on standard output (ready-line.c) */
	int httpPort;					/* the program's port (options.c); 0: none so far */
	int wsPort;
	int usbMaster;					/* descriptor of the pseudo-terminal (usb-port.c); -1: none */
	int windowSocket;				/* descriptor of the socket to the window (window-link.c); -1: none */
	BootHandover next;				/* the next run, if another process selected it */
} Resume;

/* All zero, and no descriptors, unless a reset has left a record. */
extern Resume resume;

/*
 * Takes the record of a reset from the environment and prepares for the next reset. `arguments` are main's. Call it
 * before anything else; the environment must not change afterwards. Exits with status 2 if the record is not from a
 * reset.
 */
void resume_open(char *arguments[]);

/* Starts the process again. Async-signal-safe. */
_Noreturn void resume_restart(void);

#endif
