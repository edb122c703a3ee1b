/* The app ABI. Made by `npm run docs` from device/wasm/abi.ts; do not edit. */
#include "abi.h"

#include <stddef.h>

const char abiModule[] = "svc";

extern AbiHandler abi_log;
extern AbiHandler abi_uptime_ms;
extern AbiHandler abi_sleep_ms;
extern AbiHandler abi_random;
extern AbiHandler abi_exit;
extern AbiHandler abi_stack_left;
extern AbiHandler abi_script_size;
extern AbiHandler abi_script_read;
extern AbiHandler abi_display_width;
extern AbiHandler abi_display_height;
extern AbiHandler abi_display_fill;
extern AbiHandler abi_display_blit;
extern AbiHandler abi_display_text;
extern AbiHandler abi_display_large_text;
extern AbiHandler abi_display_sprite;
extern AbiHandler abi_display_line;
extern AbiHandler abi_display_circle;
extern AbiHandler abi_display_triangle;
extern AbiHandler abi_display_scroll;
extern AbiHandler abi_display_clip;
extern AbiHandler abi_display_flush;
extern AbiHandler abi_gpio_read;
extern AbiHandler abi_adc_read;
extern AbiHandler abi_i2c_read;
extern AbiHandler abi_buttons;
extern AbiHandler abi_buttons_pressed;
extern AbiHandler abi_buttons_released;
extern AbiHandler abi_gpio_mode;
extern AbiHandler abi_gpio_write;
extern AbiHandler abi_pwm_write;
extern AbiHandler abi_i2c_write;
extern AbiHandler abi_sound_tone;
extern AbiHandler abi_sound_play;
extern AbiHandler abi_sound_stop;
extern AbiHandler abi_display_conceal;

const AbiFunction abiFunctions[] = {
	{
		.name = "log", .capability = 0, .parameterCount = 3, .isWide = false,
		.handler = abi_log, .rangeCount = 1,
		.ranges = { { 1, 2, -1, 1, false } },
	},
	{
		.name = "uptime_ms", .capability = 0, .parameterCount = 0, .isWide = true,
		.handler = abi_uptime_ms, .rangeCount = 0,
	},
	{
		.name = "clock_ms", .capability = 0, .parameterCount = 0, .isWide = true,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "clock_offset", .capability = 0, .parameterCount = 0, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "sleep_ms", .capability = 0, .parameterCount = 1, .isWide = false,
		.handler = abi_sleep_ms, .rangeCount = 0,
	},
	{
		.name = "random", .capability = 0, .parameterCount = 2, .isWide = false,
		.handler = abi_random, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, true } },
	},
	{
		.name = "exit", .capability = 0, .parameterCount = 1, .isWide = false,
		.handler = abi_exit, .rangeCount = 0,
	},
	{
		.name = "stack_left", .capability = 0, .parameterCount = 0, .isWide = false,
		.handler = abi_stack_left, .rangeCount = 0,
	},
	{
		.name = "script_size", .capability = 0, .parameterCount = 0, .isWide = false,
		.handler = abi_script_size, .rangeCount = 0,
	},
	{
		.name = "script_read", .capability = 0, .parameterCount = 3, .isWide = false,
		.handler = abi_script_read, .rangeCount = 1,
		.ranges = { { 0, 2, -1, 1, true } },
	},
	{
		.name = "display_width", .capability = 1, .parameterCount = 0, .isWide = false,
		.handler = abi_display_width, .rangeCount = 0,
	},
	{
		.name = "display_height", .capability = 1, .parameterCount = 0, .isWide = false,
		.handler = abi_display_height, .rangeCount = 0,
	},
	{
		.name = "display_fill", .capability = 1, .parameterCount = 5, .isWide = false,
		.handler = abi_display_fill, .rangeCount = 0,
	},
	{
		.name = "display_blit", .capability = 1, .parameterCount = 5, .isWide = false,
		.handler = abi_display_blit, .rangeCount = 1,
		.ranges = { { 4, 2, 3, 2, false } },
	},
	{
		.name = "display_text", .capability = 1, .parameterCount = 5, .isWide = false,
		.handler = abi_display_text, .rangeCount = 1,
		.ranges = { { 3, 4, -1, 1, false } },
	},
	{
		.name = "display_large_text", .capability = 1, .parameterCount = 6, .isWide = false,
		.handler = abi_display_large_text, .rangeCount = 1,
		.ranges = { { 4, 5, -1, 1, false } },
	},
	{
		.name = "display_sprite", .capability = 1, .parameterCount = 10, .isWide = false,
		.handler = abi_display_sprite, .rangeCount = 1,
		.ranges = { { 2, 3, 4, 2, false } },
	},
	{
		.name = "display_line", .capability = 1, .parameterCount = 5, .isWide = false,
		.handler = abi_display_line, .rangeCount = 0,
	},
	{
		.name = "display_circle", .capability = 1, .parameterCount = 5, .isWide = false,
		.handler = abi_display_circle, .rangeCount = 0,
	},
	{
		.name = "display_triangle", .capability = 1, .parameterCount = 7, .isWide = false,
		.handler = abi_display_triangle, .rangeCount = 0,
	},
	{
		.name = "display_scroll", .capability = 1, .parameterCount = 2, .isWide = false,
		.handler = abi_display_scroll, .rangeCount = 0,
	},
	{
		.name = "display_clip", .capability = 1, .parameterCount = 4, .isWide = false,
		.handler = abi_display_clip, .rangeCount = 0,
	},
	{
		.name = "display_flush", .capability = 1, .parameterCount = 0, .isWide = false,
		.handler = abi_display_flush, .rangeCount = 0,
	},
	{
		.name = "gpio_read", .capability = 2, .parameterCount = 1, .isWide = false,
		.handler = abi_gpio_read, .rangeCount = 0,
	},
	{
		.name = "adc_read", .capability = 2, .parameterCount = 1, .isWide = false,
		.handler = abi_adc_read, .rangeCount = 0,
	},
	{
		.name = "i2c_read", .capability = 2, .parameterCount = 4, .isWide = false,
		.handler = abi_i2c_read, .rangeCount = 1,
		.ranges = { { 2, 3, -1, 1, true } },
	},
	{
		.name = "buttons", .capability = 2, .parameterCount = 0, .isWide = false,
		.handler = abi_buttons, .rangeCount = 0,
	},
	{
		.name = "buttons_pressed", .capability = 2, .parameterCount = 0, .isWide = false,
		.handler = abi_buttons_pressed, .rangeCount = 0,
	},
	{
		.name = "buttons_released", .capability = 2, .parameterCount = 0, .isWide = false,
		.handler = abi_buttons_released, .rangeCount = 0,
	},
	{
		.name = "gpio_mode", .capability = 4, .parameterCount = 2, .isWide = false,
		.handler = abi_gpio_mode, .rangeCount = 0,
	},
	{
		.name = "gpio_write", .capability = 4, .parameterCount = 2, .isWide = false,
		.handler = abi_gpio_write, .rangeCount = 0,
	},
	{
		.name = "pwm_write", .capability = 4, .parameterCount = 3, .isWide = false,
		.handler = abi_pwm_write, .rangeCount = 0,
	},
	{
		.name = "i2c_write", .capability = 4, .parameterCount = 3, .isWide = false,
		.handler = abi_i2c_write, .rangeCount = 1,
		.ranges = { { 1, 2, -1, 1, false } },
	},
	{
		.name = "sound_tone", .capability = 256, .parameterCount = 6, .isWide = false,
		.handler = abi_sound_tone, .rangeCount = 0,
	},
	{
		.name = "sound_play", .capability = 256, .parameterCount = 2, .isWide = false,
		.handler = abi_sound_play, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 2, false } },
	},
	{
		.name = "sound_stop", .capability = 256, .parameterCount = 0, .isWide = false,
		.handler = abi_sound_stop, .rangeCount = 0,
	},
	{
		.name = "storage_size", .capability = 8, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "storage_read", .capability = 8, .parameterCount = 5, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 3, 4, -1, 1, true } },
	},
	{
		.name = "storage_list", .capability = 8, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, true } },
	},
	{
		.name = "storage_write", .capability = 16, .parameterCount = 4, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 2, 3, -1, 1, false } },
	},
	{
		.name = "storage_write_at", .capability = 16, .parameterCount = 5, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 3, 4, -1, 1, false } },
	},
	{
		.name = "storage_delete", .capability = 16, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "card_size", .capability = 8, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "card_read", .capability = 8, .parameterCount = 5, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 3, 4, -1, 1, true } },
	},
	{
		.name = "card_list", .capability = 8, .parameterCount = 4, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 2, 3, -1, 1, true } },
	},
	{
		.name = "card_write", .capability = 16, .parameterCount = 5, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 0, 1, -1, 1, false }, { 3, 4, -1, 1, false } },
	},
	{
		.name = "card_delete", .capability = 16, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "net_connect", .capability = 32, .parameterCount = 3, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "net_send", .capability = 32, .parameterCount = 3, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 1, 2, -1, 1, false } },
	},
	{
		.name = "net_receive", .capability = 32, .parameterCount = 4, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 1, 2, -1, 1, true } },
	},
	{
		.name = "net_close", .capability = 32, .parameterCount = 1, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "http_request", .capability = 32, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "http_status", .capability = 32, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "http_field", .capability = 32, .parameterCount = 5, .isWide = false,
		.handler = NULL, .rangeCount = 2,
		.ranges = { { 1, 2, -1, 1, false }, { 3, 4, -1, 1, true } },
	},
	{
		.name = "http_read", .capability = 32, .parameterCount = 4, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 1, 2, -1, 1, true } },
	},
	{
		.name = "http_close", .capability = 32, .parameterCount = 1, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "ble_advertise", .capability = 64, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "ble_stop", .capability = 64, .parameterCount = 0, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
	{
		.name = "app_start", .capability = 128, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "app_stop", .capability = 128, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "app_list", .capability = 128, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, true } },
	},
	{
		.name = "display_conceal", .capability = 1073741824, .parameterCount = 2, .isWide = false,
		.handler = abi_display_conceal, .rangeCount = 0,
	},
	{
		.name = "console_request", .capability = 1073741824, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, false } },
	},
	{
		.name = "console_read", .capability = 1073741824, .parameterCount = 2, .isWide = false,
		.handler = NULL, .rangeCount = 1,
		.ranges = { { 0, 1, -1, 1, true } },
	},
	{
		.name = "console_changes", .capability = 1073741824, .parameterCount = 0, .isWide = false,
		.handler = NULL, .rangeCount = 0,
	},
};
const uint32_t abiFunctionCount = 65;
