/* Stub, written for tests: what device/hosts/esp32 uses of esp_driver_i2s, by its documentation; nothing of it runs. */
#ifndef STUB_DRIVER_I2S_STD_H
#define STUB_DRIVER_I2S_STD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/gpio.h"
#include "esp_err.h"

typedef struct i2s_channel_obj_t *i2s_chan_handle_t;
typedef enum { I2S_NUM_AUTO = 2 } i2s_port_t;
typedef enum { I2S_ROLE_MASTER } i2s_role_t;
typedef enum { I2S_DATA_BIT_WIDTH_16BIT = 16 } i2s_data_bit_width_t;
typedef enum { I2S_SLOT_MODE_MONO = 1 } i2s_slot_mode_t;
#define I2S_GPIO_UNUSED (-1)

typedef struct {
	i2s_port_t id;
	i2s_role_t role;
	uint32_t dma_desc_num, dma_frame_num;
	bool auto_clear;
} i2s_chan_config_t;

typedef struct { uint32_t sample_rate_hz; } i2s_std_clk_config_t;
typedef struct {
	i2s_data_bit_width_t data_bit_width;
	i2s_slot_mode_t slot_mode;
} i2s_std_slot_config_t;
typedef struct { int mclk, bclk, ws, dout, din; } i2s_std_gpio_config_t;

typedef struct {
	i2s_std_clk_config_t clk_cfg;
	i2s_std_slot_config_t slot_cfg;
	i2s_std_gpio_config_t gpio_cfg;
} i2s_std_config_t;

#define I2S_STD_CLK_DEFAULT_CONFIG(rate) { .sample_rate_hz = (rate) }
#define I2S_STD_PHILIPS_SLOT_DEFAULT_CONFIG(bits, mode) { .data_bit_width = (bits), .slot_mode = (mode) }

esp_err_t i2s_new_channel(const i2s_chan_config_t *config, i2s_chan_handle_t *output, i2s_chan_handle_t *input);
esp_err_t i2s_channel_init_std_mode(i2s_chan_handle_t channel, const i2s_std_config_t *config);
esp_err_t i2s_channel_enable(i2s_chan_handle_t channel);
esp_err_t i2s_channel_write(i2s_chan_handle_t channel, const void *bytes, size_t byteLength, size_t *written,
	uint32_t timeoutMs);

#endif
