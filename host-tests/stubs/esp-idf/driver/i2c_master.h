/* Stub, written for tests: what device/hosts/esp32 uses of esp_driver_i2c, by its documentation; nothing of it runs. */
#ifndef STUB_DRIVER_I2C_MASTER_H
#define STUB_DRIVER_I2C_MASTER_H

#include <stddef.h>
#include <stdint.h>

#include "driver/gpio.h"
#include "esp_err.h"

typedef int i2c_port_num_t;
typedef enum { I2C_CLK_SRC_DEFAULT } i2c_clock_source_t;
typedef enum { I2C_ADDR_BIT_LEN_7 } i2c_addr_bit_len_t;
typedef struct i2c_master_bus_t *i2c_master_bus_handle_t;
typedef struct i2c_master_dev_t *i2c_master_dev_handle_t;

typedef struct {
	i2c_port_num_t i2c_port;
	gpio_num_t sda_io_num, scl_io_num;
	i2c_clock_source_t clk_source;
	uint8_t glitch_ignore_cnt;
	int intr_priority;
	size_t trans_queue_depth;
	struct {
		uint32_t enable_internal_pullup : 1;
		uint32_t allow_pd : 1;
	} flags;
} i2c_master_bus_config_t;

typedef struct {
	i2c_addr_bit_len_t dev_addr_length;
	uint16_t device_address;
	uint32_t scl_speed_hz, scl_wait_us;
	struct { uint32_t disable_ack_check : 1; } flags;
} i2c_device_config_t;

esp_err_t i2c_new_master_bus(const i2c_master_bus_config_t *config, i2c_master_bus_handle_t *bus);
esp_err_t i2c_master_probe(i2c_master_bus_handle_t bus, uint16_t address, int timeoutMs);
esp_err_t i2c_master_bus_add_device(i2c_master_bus_handle_t bus, const i2c_device_config_t *config,
	i2c_master_dev_handle_t *device);
esp_err_t i2c_master_bus_rm_device(i2c_master_dev_handle_t device);
esp_err_t i2c_master_transmit(i2c_master_dev_handle_t device, const uint8_t *bytes, size_t length, int timeoutMs);
esp_err_t i2c_master_receive(i2c_master_dev_handle_t device, uint8_t *bytes, size_t length, int timeoutMs);
esp_err_t i2c_master_transmit_receive(i2c_master_dev_handle_t device, const uint8_t *bytes, size_t length, uint8_t *into,
	size_t room, int timeoutMs);

#endif
