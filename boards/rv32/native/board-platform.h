/* What XS needs to know of this board: the simulator's answers, but for where the C stack ends (c-stack.c). */
#ifndef SVC_BOARD_PLATFORM_H
#define SVC_BOARD_PLATFORM_H

#include "platform.h"

#undef mxLinux
#define mxLinux 0
#undef mxUseDefaultParseScript
#define mxUseDefaultCStackLimit 0

/* RV32 has atomic instructions for words alone, and there is one machine. */
#undef mxUseGCCAtomics

#endif
