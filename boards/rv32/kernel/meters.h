/* What a step of the script took: a line of JSON for each, in a file of the host's. */
#ifndef SVC_METERS_H
#define SVC_METERS_H

#include <stdint.h>

void meters_open(const char *file);

/* A step begins: what is measured counts from now on. */
void meters_begin(void);

/* It is over, after it was done `count` times. */
void meters_end(const char *step, uint32_t count);

#endif
