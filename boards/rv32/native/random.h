/*
 * Numbers in place of a source of random ones: the same after every power on, since what the console does has to take
 * as many instructions in every run. Nobody has secrets here.
 */
#ifndef SVC_RANDOM_H
#define SVC_RANDOM_H

#include <stddef.h>

void random_fill(void *bytes, size_t length);

#endif
