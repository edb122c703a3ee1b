/* Linux on Arm, whose functions pass numbers of floating point in registers of their own, as images do not. */
#ifndef SVC_MACHINE_H
#define SVC_MACHINE_H

#include "native-numbers.h"

enum { SYSTEM_WRITE = 4, SYSTEM_MPROTECT = 125, SYSTEM_EXIT = 1 };

#define MACHINE "thumbv7m"
#define ARE_VARIABLES_APART false
#define NUMBERS NATIVE_HOST_NUMBERS,

static void fetch_again(void) { __asm__ volatile("dsb\n\tisb" : : : "memory"); }

#endif
