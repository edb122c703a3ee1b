/*
 * An ILI9341 on the bus. A dedicated task sends the shown picture, so that an app that flushes faster than the bus
 * does not wait: pictures between two that are sent are skipped.
 *
 * Pictures are in PSRAM, in the other byte order, and the bus cannot be fed from PSRAM at its speed. So they are sent
 * in bands, one being converted while the other is on the wire.
 */
#include "panel.h"

#include <stdbool.h>

#include "backlight.h"
#include "board-bus.h"
#include "display-memory.h"
#include "driver/gpio.h"
#include "esp_heap_caps.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "ili9341.h"
#include "pin-map.h"

enum {
	BAND_ROWS = 32,
	BAND_BYTES = DISPLAY_WIDTH * BAND_ROWS * 2,
	CLOCK_HZ = 40 * 1000 * 1000,
	STACK_BYTES = 3072,
	PRIORITY = 3,			/* below the management machine, above apps */
};

_Static_assert(DISPLAY_HEIGHT % BAND_ROWS == 0, "bands fill the display");
_Static_assert(BAND_BYTES <= BOARD_BUS_TRANSFER_BYTES, "a band is one transfer");

static spi_device_handle_t device;
static TaskHandle_t task;
static uint8_t *bands[2];

static void send(int level, const uint8_t *bytes, size_t length)
{
	spi_transaction_t transfer = { .length = length * 8, .tx_buffer = bytes };
	(void)gpio_set_level(MODDEF_DISPLAY_DC, level);
	(void)spi_device_polling_transmit(device, &transfer);
}

static void command(const Ili9341Command *sent)
{
	send(0, &sent->code, 1);
	if (sent->length > 0)
		send(1, sent->parameters, sent->length);
	if (sent->pauseMs > 0)
		vTaskDelay(pdMS_TO_TICKS(sent->pauseMs));
}

static void wait_for_band(void)
{
	spi_transaction_t *done;
	(void)spi_device_get_trans_result(device, &done, portMAX_DELAY);
}

/* The window is the whole display, and rows are contiguous: one command covers all bands. */
static void send_picture(const uint16_t *pixels)
{
	static spi_transaction_t transfers[2];
	const Ili9341Command write = { .code = ILI9341_WRITE_PIXELS };
	Ili9341Command window[ILI9341_WINDOW_COMMANDS];
	ili9341_window(0, DISPLAY_HEIGHT, window);
	for (int index = 0; index < ILI9341_WINDOW_COMMANDS; index++)
		command(&window[index]);
	command(&write);
	(void)gpio_set_level(MODDEF_DISPLAY_DC, 1);
	for (int band = 0; band < DISPLAY_HEIGHT / BAND_ROWS; band++) {
		uint8_t *bytes = bands[band % 2];
		ili9341_pixels(pixels + band * DISPLAY_WIDTH * BAND_ROWS, DISPLAY_WIDTH * BAND_ROWS, bytes);
		if (band > 0)
			wait_for_band();
		transfers[band % 2] = (spi_transaction_t){ .length = BAND_BYTES * 8, .tx_buffer = bytes };
		(void)spi_device_queue_trans(device, &transfers[band % 2], portMAX_DELAY);
	}
	wait_for_band();
}

/* -1: the display's pin is connected to the chip's reset, or to 3.3 V. */
static void drive(int pin, int level)
{
	if (pin >= 0)
		(void)gpio_set_level(pin, (uint32_t)level);
}

static void configure_output(int pin, int level)
{
	if (pin < 0)
		return;
	const gpio_config_t options = { .pin_bit_mask = UINT64_C(1) << pin, .mode = GPIO_MODE_OUTPUT };
	drive(pin, level);
	(void)gpio_config(&options);
}

static void switch_on(void)
{
	configure_output(MODDEF_DISPLAY_DC, 0);
	backlight_start();
	configure_output(MODDEF_DISPLAY_RESET, 0);
	vTaskDelay(pdMS_TO_TICKS(ILI9341_RESET_MS));
	drive(MODDEF_DISPLAY_RESET, 1);
	vTaskDelay(pdMS_TO_TICKS(ILI9341_AFTER_RESET_MS));		// the list of commands starts with a longer pause
	for (const Ili9341Command *next = ili9341Start; next->code; next++)
		command(next);
}

/* Whether the panel has a picture: before that its content is random, so the backlight stays dark. */
static _Atomic bool hasPicture;

static void light(int percent)
{
	if (hasPicture)
		backlight_set(percent);
}

static void show_pictures(void *context)
{
	(void)context;
	for (switch_on(); ; (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY)) {
		send_picture(display_acquire(DISPLAY_PANEL));
		display_release(DISPLAY_PANEL);
		if (!hasPicture) {
			hasPicture = true;
			light(display_brightness());
		}
	}
}

/* On the thread of the app that flushes. */
static void picture_is_shown(void)
{
	if (task)
		xTaskNotifyGive(task);
}

/* Without display, memory or bus, the console runs without a display. */
void panel_start(void)
{
	if (MODDEF_DISPLAY_SELECT < 0)
		return;
	const spi_device_interface_config_t options = {
		.clock_speed_hz = CLOCK_HZ,
		.spics_io_num = MODDEF_DISPLAY_SELECT,
		.queue_size = 2,
	};
	for (int index = 0; index < 2; index++)
		bands[index] = heap_caps_malloc(BAND_BYTES, MALLOC_CAP_DMA);
	if (!bands[0] || !bands[1] || !board_bus_start() || spi_bus_add_device(BOARD_BUS, &options, &device) != ESP_OK)
		return;
	display_on_shown(picture_is_shown);
	display_on_brightness(light);
	(void)xTaskCreate(show_pictures, "panel", STACK_BYTES, NULL, PRIORITY, &task);
}
