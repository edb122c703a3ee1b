/* The life cycle of the machine (machine.h); there is one at a time. */
#ifndef SVC_MACHINE_LIFE_H
#define SVC_MACHINE_LIFE_H

#include "machine.h"

/* Global name of what `main`, the image's module, exports by default: a board has nothing that imports modules. */
extern const char PROGRAM_MAIN[];

/* Creates a machine that runs this program text. */
void machine_open(const char *text, size_t length);
void machine_close(void);

/* Calls the program's main function. */
void machine_run_main(void);

/* Runs all promise jobs, then reports unhandled rejections. */
void machine_run_jobs(xsMachine *the);

#endif
