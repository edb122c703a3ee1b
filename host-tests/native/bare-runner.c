/* spec-runner.c over wasm3 as it comes, which the engine is measured against. */
#include "spec-runner.c"

_Thread_local StackBounds stackBounds;		/* unused here */
