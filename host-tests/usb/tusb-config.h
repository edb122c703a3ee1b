/* TinyUSB as the board's firmware configures it, but for its task and queue: here the host gives it its turns. */
#include <stdio.h>

#include "tusb_config.h"

#undef CFG_TUSB_OS
#define CFG_TUSB_OS OPT_OS_NONE
#undef CFG_TUSB_DEBUG_PRINTF
#define CFG_TUSB_DEBUG_PRINTF printf
