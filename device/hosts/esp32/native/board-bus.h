/* The SPI bus that the display and the SD card share. */
#ifndef SVC_BOARD_BUS_H
#define SVC_BOARD_BUS_H

#include <stdbool.h>

#include "driver/spi_master.h"

static const spi_host_device_t BOARD_BUS = SPI2_HOST;
#define BOARD_BUS_TRANSFER_BYTES (16 * 1024)

/*
 * No-op after the first call.
 * @returns false if the bus cannot be opened
 */
bool board_bus_start(void);

#endif
