/* An ESP32's software cannot select it. The port's bridge can, by DTR and RTS, and tools that write the flash do so. */
#include "chip-loader.h"

bool chip_loader_is_reachable(void)
{
	return false;
}

void chip_loader_select(void)
{
}
