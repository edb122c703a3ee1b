/* What benchmarks of processors do: a list is sorted, matrices are multiplied, text is read by a state machine. */
#ifndef KERNEL_H
#define KERNEL_H

enum { KERNEL_ROUNDS = 3000 };

/* @returns a checksum of all results */
int kernel(int rounds);

#endif
