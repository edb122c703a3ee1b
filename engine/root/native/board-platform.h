/* XS's platform header for boards without Linux: the simulator's, except for the end of the C stack (c-stack.c). */
#ifndef SVC_BOARD_PLATFORM_H
#define SVC_BOARD_PLATFORM_H

#include "platform.h"

#undef mxLinux
#define mxLinux 0
#undef mxUseDefaultParseScript
#define mxUseDefaultCStackLimit 0

/* A board has atomic instructions for words at the most, and one machine. */
#undef mxUseGCCAtomics

#endif
