/* The loader in the chip's ROM, which writes the flash for a program at the cable. */
#ifndef SVC_CHIP_LOADER_H
#define SVC_CHIP_LOADER_H

#include <stdbool.h>

/* Whether a restart can end in it. */
bool chip_loader_is_reachable(void);

/* The reset that comes now ends in it. The console's USB port is gone. */
void chip_loader_select(void);

#endif
