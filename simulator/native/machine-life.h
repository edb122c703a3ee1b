/* The life cycle of the machine (machine.h); there is one at a time. */
#ifndef SVC_MACHINE_LIFE_H
#define SVC_MACHINE_LIFE_H

#include "machine.h"

/* Creates a machine that runs this program text. */
void machine_open(const char *text, size_t length);
void machine_close(void);

/* Imports `main`, the image's module, and calls its default export. */
void machine_run_main(void);

/* Runs all promise jobs, then reports unhandled rejections. */
void machine_run_jobs(xsMachine *the);

#endif
