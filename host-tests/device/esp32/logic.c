/*
 * What of the board's C knows no hardware: the load of a task, the language of the display's controller, why a network
 * could not be joined. Prints what does not hold.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "esp_wifi.h"
#include "holds.h"
#include "ili9341.h"
#include "load-window.h"
#include "pin-map.h"
#include "wifi-failure.h"

static void check_load(void)
{
	LoadWindow window = { 0 };
	HOLDS(load_window_percent(&window) == 0);
	load_window_add(&window, 100, 1000);
	HOLDS(load_window_percent(&window) == 0);
	load_window_add(&window, 350, 1500);
	HOLDS(load_window_percent(&window) == 50);
	for (uint32_t index = 1; index <= 20; index++)
		load_window_add(&window, 350, 1500 + index * 500);
	HOLDS(load_window_percent(&window) == 0);		// what is long ago is of no account
	for (uint32_t index = 1; index <= LOAD_SAMPLES; index++)
		load_window_add(&window, 4294967000u + index * 500, 4294960000u + index * 500);
	HOLDS(load_window_percent(&window) == 100);		// beyond the largest number
}

/* What a panel makes of commands: its window, and where the next pixel goes. */
typedef struct {
	int left, right, top, bottom;
	bool isAwake, isOn, has16Bits;
} Panel;

static int number(const uint8_t *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static void obey(Panel *panel, const Ili9341Command *command)
{
	const uint8_t *parameters = command->parameters;
	HOLDS(command->length <= sizeof(command->parameters));
	switch (command->code) {
	case 0x11: panel->isAwake = command->pauseMs >= 5; break;
	case 0x29: panel->isOn = panel->isAwake; break;
	case 0x3A: panel->has16Bits = parameters[0] == 0x55; break;
	case 0x2A: panel->left = number(parameters); panel->right = number(parameters + 2); break;
	case 0x2B: panel->top = number(parameters); panel->bottom = number(parameters + 2); break;
	}
}

static void check_display(void)
{
	Panel panel = { 0 };
	Ili9341Command window[ILI9341_WINDOW_COMMANDS];
	uint8_t bytes[4];
	for (const Ili9341Command *next = ili9341Start; next->code; next++)
		obey(&panel, next);
	HOLDS(panel.isOn && panel.has16Bits);
	HOLDS(ili9341Start[0].code == 0x01 && ili9341Start[0].pauseMs >= 120);
	ili9341_window(0, 320, window);
	for (int index = 0; index < ILI9341_WINDOW_COMMANDS; index++)
		obey(&panel, &window[index]);
	HOLDS(panel.left == 0 && panel.right == 239 && panel.top == 0 && panel.bottom == 319);
	ili9341_window(256, 288, window);
	for (int index = 0; index < ILI9341_WINDOW_COMMANDS; index++)
		obey(&panel, &window[index]);
	HOLDS(panel.top == 256 && panel.bottom == 287);
	ili9341_pixels((const uint16_t[]){ 0xF800, 0x001F }, 2, bytes);
	HOLDS(memcmp(bytes, (const uint8_t[]){ 0xF8, 0x00, 0x00, 0x1F }, 4) == 0);
}

static void check_wifi(void)
{
	HOLDS(strcmp(wifi_failure(WIFI_REASON_NO_AP_FOUND, false), "not_found") == 0);
	HOLDS(strcmp(wifi_failure(WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT, false), "wrong_password") == 0);
	HOLDS(strcmp(wifi_failure(WIFI_REASON_AUTH_FAIL, false), "wrong_password") == 0);
	HOLDS(strcmp(wifi_failure(5, false), "refused") == 0);
	HOLDS(strcmp(wifi_failure(WIFI_REASON_NO_AP_FOUND, true), "lost") == 0);
}

static void check_pins(void)
{
	HOLDS(!pin_map_is_free(-1) && !pin_map_is_free(64) && !pin_map_is_free(256));
	for (int index = 0; index < PIN_MAP_BUTTONS; index++)
		HOLDS(!pin_map_is_free(pinMapButtons[index]));
}

int main(void)
{
	check_load();
	check_display();
	check_wifi();
	check_pins();
	return failures > 0;
}
