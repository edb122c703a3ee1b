/*
 * Fixed numbers in place of a random source: the same after every power on, since each run must execute the same
 * number of instructions. This board holds no secrets.
 */
#ifndef SVC_RANDOM_H
#define SVC_RANDOM_H

#include <stddef.h>

void random_fill(void *bytes, size_t length);

#endif
