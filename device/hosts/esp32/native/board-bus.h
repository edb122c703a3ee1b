/* The SPI bus that the display and the SD card share. */
#ifndef SVC_BOARD_BUS_H
#define SVC_BOARD_BUS_H

#include <stdbool.h>

#include "driver/spi_master.h"

static const spi_host_device_t BOARD_BUS = SPI2_HOST;
#define BOARD_BUS_TRANSFER_BYTES (16 * 1024)

/* From the second time on there is nothing to do. @returns false where there is no bus to be had */
bool board_bus_start(void);

#endif
