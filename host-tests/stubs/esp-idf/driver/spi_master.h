/* Stub, written for tests: what device/hosts/esp32 uses of esp_driver_spi, by its documentation; nothing of it runs. */
#ifndef STUB_DRIVER_SPI_MASTER_H
#define STUB_DRIVER_SPI_MASTER_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

typedef enum { SPI1_HOST, SPI2_HOST, SPI3_HOST } spi_host_device_t;
typedef enum { SPI_DMA_DISABLED, SPI_DMA_CH_AUTO = 3 } spi_dma_chan_t;
typedef struct spi_device_t *spi_device_handle_t;

typedef struct {
	int mosi_io_num, miso_io_num, sclk_io_num, quadwp_io_num, quadhd_io_num, max_transfer_sz;
} spi_bus_config_t;
typedef struct { uint8_t mode; int clock_speed_hz, spics_io_num, queue_size; } spi_device_interface_config_t;
typedef struct { uint32_t flags; size_t length, rxlength; const void *tx_buffer; void *rx_buffer; } spi_transaction_t;

esp_err_t spi_bus_initialize(spi_host_device_t host, const spi_bus_config_t *config, spi_dma_chan_t dma);
esp_err_t spi_bus_add_device(spi_host_device_t host, const spi_device_interface_config_t *config,
	spi_device_handle_t *handle);
esp_err_t spi_device_polling_transmit(spi_device_handle_t handle, spi_transaction_t *transaction);
esp_err_t spi_device_queue_trans(spi_device_handle_t handle, spi_transaction_t *transaction, TickType_t ticks);
esp_err_t spi_device_get_trans_result(spi_device_handle_t handle, spi_transaction_t **transaction, TickType_t ticks);

#endif
