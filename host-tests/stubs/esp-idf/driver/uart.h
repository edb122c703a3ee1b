/* Stub, written for tests: what device/hosts/esp32 uses of esp_driver_uart, by its documentation. */
#ifndef STUB_DRIVER_UART_H
#define STUB_DRIVER_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"

typedef enum { UART_NUM_0 } uart_port_t;
typedef enum { UART_DATA_8_BITS = 3 } uart_word_length_t;
typedef enum { UART_PARITY_DISABLE } uart_parity_t;
typedef enum { UART_STOP_BITS_1 = 1 } uart_stop_bits_t;
typedef enum { UART_HW_FLOWCTRL_DISABLE } uart_hw_flowcontrol_t;
typedef enum { UART_SCLK_DEFAULT = 1 } uart_sclk_t;

typedef struct {
	int baud_rate;
	uart_word_length_t data_bits;
	uart_parity_t parity;
	uart_stop_bits_t stop_bits;
	uart_hw_flowcontrol_t flow_ctrl;
	uint8_t rx_flow_ctrl_thresh;
	uart_sclk_t source_clk;
} uart_config_t;

typedef enum { UART_DATA, UART_BREAK, UART_BUFFER_FULL, UART_FIFO_OVF, UART_EVENT_MAX } uart_event_type_t;
typedef struct { uart_event_type_t type; size_t size; bool timeout_flag; } uart_event_t;

esp_err_t uart_driver_install(uart_port_t port, int receiveBytes, int sendBytes, int queueLength, QueueHandle_t *queue,
	int flags);
esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config);
esp_err_t uart_flush_input(uart_port_t port);
esp_err_t uart_get_buffered_data_len(uart_port_t port, size_t *size);
esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size);
int uart_read_bytes(uart_port_t port, void *buffer, uint32_t length, TickType_t ticks);
int uart_write_bytes(uart_port_t port, const void *source, size_t size);

#endif
