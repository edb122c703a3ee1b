/* Pins of the bus (board-bus.h). */
#include "board-bus.h"

#include "pin-map.h"

bool board_bus_start(void)
{
	static bool isStarted;
	const spi_bus_config_t options = {
		.mosi_io_num = MODDEF_BUS_MOSI,
		.miso_io_num = MODDEF_BUS_MISO,
		.sclk_io_num = MODDEF_BUS_CLOCK,
		.quadwp_io_num = -1,
		.quadhd_io_num = -1,
		.max_transfer_sz = BOARD_BUS_TRANSFER_BYTES,
	};
	if (!isStarted)
		isStarted = spi_bus_initialize(BOARD_BUS, &options, SPI_DMA_CH_AUTO) == ESP_OK;
	return isStarted;
}
