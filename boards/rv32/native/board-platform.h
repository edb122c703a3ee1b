/* XS's platform header for this board: the simulator's, except for the end of the C stack (c-stack.c). */
#ifndef SVC_BOARD_PLATFORM_H
#define SVC_BOARD_PLATFORM_H

#include "platform.h"

#undef mxLinux
#define mxLinux 0
#undef mxUseDefaultParseScript
#define mxUseDefaultCStackLimit 0

/* RV32 has atomic instructions for words only, and there is one machine. */
#undef mxUseGCCAtomics

#endif
