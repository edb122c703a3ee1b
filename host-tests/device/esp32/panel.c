/*
 * The panel and its light, from power on: a bus that receives commands and pixels, a clock that only waiting moves, and
 * the chip's pulses, which take effect when they are updated. Prints what does not hold.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backlight.h"
#include "board-bus.h"
#include "boot-picture.h"
#include "display-memory.h"
#include "display.h"
#include "driver/gpio.h"
#include "driver/ledc.h"
#include "esp_heap_caps.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "holds.h"
#include "ili9341.h"
#include "mc.defines.h"
#include "panel.h"

_Static_assert(MODDEF_DISPLAY_BACKLIGHT >= 0, "this build has a pin for the light");

/* The time, in ms: of pauses, and of what is on the wire. */
static double nowMs;
static int clockHz;

/* The pulses: a share of the resolution, or -1 while no pin has them. */
static int resolution, duty = -1, nextDuty;

esp_err_t ledc_timer_config(const ledc_timer_config_t *config)
{
	resolution = 1 << config->duty_resolution;
	HOLDS(config->freq_hz >= 1000);		// slower pulses are seen
	return ESP_OK;
}

esp_err_t ledc_channel_config(const ledc_channel_config_t *config)
{
	HOLDS(resolution > 0 && config->gpio_num == MODDEF_DISPLAY_BACKLIGHT);
	duty = (int)config->duty;
	return ESP_OK;
}

esp_err_t ledc_set_duty(ledc_mode_t mode, ledc_channel_t channel, uint32_t value)
{
	(void)mode, (void)channel;
	HOLDS(duty >= 0 && (int)value < resolution);
	nextDuty = (int)value;
	return ESP_OK;
}

esp_err_t ledc_update_duty(ledc_mode_t mode, ledc_channel_t channel)
{
	(void)mode, (void)channel;
	duty = nextDuty;
	return ESP_OK;
}

/* The bus: what the panel has got since the command for pixels. */
static int level;
static bool arePixels;
static uint8_t received[DISPLAY_PIXELS * 2];
static size_t receivedLength;
static double firstPictureMs = -1;

static void receive(const spi_transaction_t *transfer)
{
	const uint8_t *bytes = transfer->tx_buffer;
	const size_t length = transfer->length / 8;
	nowMs += transfer->length * 1e3 / clockHz;
	if (level == 0) {
		arePixels = bytes[0] == ILI9341_WRITE_PIXELS;
		receivedLength = 0;
		return;
	}
	if (!arePixels)
		return;
	HOLDS(receivedLength + length <= sizeof(received));
	memcpy(received + receivedLength, bytes, length);
	receivedLength += length;
	if (receivedLength == sizeof(received) && firstPictureMs < 0)
		firstPictureMs = nowMs;
}

bool board_bus_start(void) { return true; }

esp_err_t spi_bus_add_device(spi_host_device_t host, const spi_device_interface_config_t *config, spi_device_handle_t *handle)
{
	HOLDS(host == BOARD_BUS);
	clockHz = config->clock_speed_hz;
	*handle = NULL;
	return ESP_OK;
}

esp_err_t spi_device_polling_transmit(spi_device_handle_t handle, spi_transaction_t *transaction)
{
	(void)handle;
	receive(transaction);
	return ESP_OK;
}

/* A queued transfer reads its bytes as late as it may. */
static spi_transaction_t *queued[2];

esp_err_t spi_device_queue_trans(spi_device_handle_t handle, spi_transaction_t *transaction, TickType_t ticks)
{
	(void)handle, (void)ticks;
	HOLDS(!queued[0] || !queued[1]);
	queued[queued[0] != NULL] = transaction;
	return ESP_OK;
}

esp_err_t spi_device_get_trans_result(spi_device_handle_t handle, spi_transaction_t **transaction, TickType_t ticks)
{
	(void)handle, (void)ticks;
	HOLDS(queued[0]);
	receive(*transaction = queued[0]);
	queued[0] = queued[1];
	queued[1] = NULL;
	return ESP_OK;
}

esp_err_t gpio_config(const gpio_config_t *config) { (void)config; return ESP_OK; }

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t value)
{
	if (pin == MODDEF_DISPLAY_DC)
		level = (int)value;
	return ESP_OK;
}

void *heap_caps_malloc(size_t size, uint32_t caps) { (void)caps; return malloc(size); }

/* The panel's task: it runs until it waits for the next picture. */
static TaskFunction_t task;
static jmp_buf waiting;
static int notifications;

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *handle)
{
	(void)name, (void)stack, (void)parameters, (void)priority;
	task = code;
	*handle = (TaskHandle_t)&task;
	return pdTRUE;
}

BaseType_t xTaskGenericNotify(TaskHandle_t handle, UBaseType_t index, uint32_t value, eNotifyAction action, uint32_t *previous)
{
	(void)handle, (void)index, (void)value, (void)previous;
	if (action == eIncrement)
		notifications++;
	return pdTRUE;
}

void vTaskDelay(TickType_t ticks) { nowMs += ticks; }

uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clear, TickType_t ticks)
{
	(void)index, (void)clear, (void)ticks;
	if (notifications == 0)
		longjmp(waiting, 1);
	notifications = 0;
	return 1;
}

static void run_task(void)
{
	if (setjmp(waiting) == 0)
		task(NULL);
}

static bool has_received(const uint16_t *pixels)
{
	static uint8_t expected[sizeof(received)];
	ili9341_pixels(pixels, DISPLAY_PIXELS, expected);
	return receivedLength == sizeof(received) && memcmp(received, expected, sizeof(received)) == 0;
}

static void check_start(void)
{
	static uint16_t picture[DISPLAY_PIXELS];
	boot_picture_draw(picture);
	display_reset();
	panel_start();
	HOLDS(task && duty <= 0);
	display_set_brightness(80);
	HOLDS(duty <= 0);						// what the panel shows is still random
	run_task();
	HOLDS(has_received(picture) && firstPictureMs > 0 && firstPictureMs <= 200);
	HOLDS(duty == 80 * (resolution - 1) / 100);
}

static void check_brightness(void)
{
	for (int percent = 0, before = -1; percent <= 100; percent++) {
		display_set_brightness(percent);
		HOLDS(duty > before && duty < resolution);
		before = duty;
	}
	HOLDS(duty == resolution - 1);			// no pulse is left out
	display_set_brightness(0);
	HOLDS(duty == 0);
}

/* Pictures that come while one is on the wire are sent as one, the last. */
static void check_pictures(void)
{
	static uint16_t picture[DISPLAY_PIXELS];
	DisplayClient app = { 0 };
	display_bring_to_front(&app);
	for (uint16_t color = 1; color <= 3; color++) {
		display_fill(&app, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, color);
		display_flush(&app);
	}
	HOLDS(notifications == 3);
	run_task();
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++)
		picture[pixel] = 3;
	HOLDS(has_received(picture) && notifications == 0);
	display_leave(&app);
}

int main(void)
{
	check_start();
	check_brightness();
	check_pictures();
	return failures > 0;
}
