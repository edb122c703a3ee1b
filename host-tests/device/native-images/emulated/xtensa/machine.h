/* Linux on Xtensa, without numbers of floating point. */
#ifndef SVC_MACHINE_H
#define SVC_MACHINE_H

enum { SYSTEM_WRITE = 13, SYSTEM_MPROTECT = 82, SYSTEM_EXIT = 118 };

#define MACHINE "xtensa"
#define ARE_VARIABLES_APART true
#define NUMBERS

static void fetch_again(void) { __asm__ volatile("memw\nisync" : : : "memory"); }

#endif
