/* The XS machine that runs the program, at the board's memory figures. */
#ifndef SVC_MACHINE_H
#define SVC_MACHINE_H

#include <stdbool.h>

#include "xsmc.h"

typedef struct {
	double totalBytes;
	double freeBytes;
	double minimumFreeBytes;
} HeapFigures;

/* The machine, NULL between two runs. */
extern xsMachine *machine;

void machine_open(void);
void machine_close(void);

/* Imports the image and calls its default export. */
void machine_run_main(void);

/* Promise jobs until there are none, then rejections nobody has handled. Belongs after every callback. */
void machine_end_turn(void);

/* Calls a function that C has kept, with one number or none. An exception is a crash. */
void machine_call(xsSlot *self, xsSlot *function);
void machine_call_number(xsSlot *self, xsSlot *function, double argument);

HeapFigures machine_heap(void);

#endif
