/*
 * Fixed numbers in place of a random source: the same after every power on, since the console has to execute the same
 * number of instructions in every run. This board holds no secrets.
 */
#ifndef SVC_RANDOM_H
#define SVC_RANDOM_H

#include <stddef.h>

void random_fill(void *bytes, size_t length);

#endif
