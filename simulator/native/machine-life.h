/* The life of the machine (machine.h): there is one at a time. */
#ifndef SVC_MACHINE_LIFE_H
#define SVC_MACHINE_LIFE_H

#include "machine.h"

/* Makes a machine that runs the program of this text. */
void machine_open(const char *text, size_t length);
void machine_close(void);

/* Imports the image and calls its default export. */
void machine_run_main(void);

/* Runs promise jobs until there are none, then reports unhandled rejections. */
void machine_run_jobs(xsMachine *the);

#endif
