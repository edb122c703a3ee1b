/* The cost of a step of the script: a line of JSON for each, in a file of the host. */
#ifndef SVC_METERS_H
#define SVC_METERS_H

#include <stdint.h>

void meters_open(const char *file);

/* Starts measuring a step. */
void meters_begin(void);

/* Ends the step, which was repeated `count` times. */
void meters_end(const char *step, uint32_t count);

#endif
