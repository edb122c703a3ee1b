/* XS's platform header for ESP-IDF: the simulator's, except for the end of the C stack (c-stack.c). */
#ifndef SVC_BOARD_PLATFORM_H
#define SVC_BOARD_PLATFORM_H

#include "platform.h"

#undef mxLinux
#define mxLinux 0
#undef mxUseDefaultParseScript
#define mxUseDefaultCStackLimit 0

/* There is one machine, and none of its memory is shared. */
#undef mxUseGCCAtomics

#endif
