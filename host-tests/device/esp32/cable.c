/*
 * A port with DTR, with a TinyUSB that a script drives: what one program leaves does not reach the next, and a silent bus
 * closes the port. Prints what does not hold. `npm run test:usb` has the real TinyUSB.
 */
#include <stdio.h>
#include <string.h>

#include "event-loop.h"
#include "holds.h"
#include "tinyusb.h"
#include "tinyusb_cdc_acm.h"
#include "tusb.h"
#include "usb-port.h"

/* What has arrived and waits to be fetched, as TinyUSB holds it. */
static char received[1024], unsent[1024];
static size_t receivedLength, unsentLength;
static tinyusb_config_cdcacm_t port;
static bool isConnected;
static void (*posted)(void *context);

void event_loop_post(void (*callback)(void *context), void *context) { (void)context; posted = callback; }

esp_err_t tinyusb_driver_install(const tinyusb_config_t *config) { (void)config; return ESP_OK; }
esp_err_t tinyusb_cdcacm_init(const tinyusb_config_cdcacm_t *config) { port = *config; return ESP_OK; }
bool tud_cdc_n_connected(uint8_t itf) { (void)itf; return isConnected; }
void tud_cdc_n_read_flush(uint8_t itf) { (void)itf; receivedLength = 0; }
bool tud_cdc_n_write_clear(uint8_t itf) { (void)itf; unsentLength = 0; return true; }
esp_err_t tinyusb_cdcacm_write_flush(tinyusb_cdcacm_itf_t itf, uint32_t ticks) { (void)itf, (void)ticks; return ESP_OK; }

esp_err_t tinyusb_cdcacm_read(tinyusb_cdcacm_itf_t itf, uint8_t *buffer, size_t size, size_t *read)
{
	(void)itf;
	*read = size < receivedLength ? size : receivedLength;
	memcpy(buffer, received, *read);
	receivedLength -= *read;
	memmove(received, received + *read, receivedLength);
	return ESP_OK;
}

size_t tinyusb_cdcacm_write_queue(tinyusb_cdcacm_itf_t itf, const uint8_t *buffer, size_t size)
{
	(void)itf;
	memcpy(unsent + unsentLength, buffer, size);
	unsentLength += size;
	return size;
}

/* The program on the host. The machine's task runs in a turn only. */
static void set_dtr(bool isReady)
{
	cdcacm_event_t event = { .line_state_changed_data = { .dtr = isReady } };
	port.callback_line_state_changed(TINYUSB_CDC_ACM_0, &event);
}

static void arrive(const char *text)
{
	cdcacm_event_t event = { 0 };
	memcpy(received + receivedLength, text, strlen(text));
	receivedLength += strlen(text);
	port.callback_rx(TINYUSB_CDC_ACM_0, &event);
}

static void turn(void)
{
	while (posted) {
		void (*callback)(void *context) = posted;
		posted = NULL;
		callback(NULL);
	}
}

/* The client: everything that happens, in its order. */
static char story[1024];

static void on_plug(void *context, bool isPlugged)
{
	(void)context;
	strcat(story, isPlugged ? "<" : ">");
	usb_port_want(isPlugged, false);
}

static void on_readable(void *context)
{
	(void)context;
	uint8_t bytes[64];
	strncat(story, (char *)bytes, usb_port_read(bytes, sizeof(bytes)));
}

static void on_writable(void *context) { (void)context; }

static bool has_happened(const char *text)
{
	const bool isSame = strcmp(story, text) == 0;
	if (!isSame)
		printf("happened: %s\n", story);
	story[0] = 0;
	return isSame;
}

static const UsbPortClient CLIENT = { .onReadable = on_readable, .onWritable = on_writable, .onPlug = on_plug };

int main(void)
{
	HOLDS(usb_port_attach(&CLIENT));
	turn();
	set_dtr(true);
	arrive("whole\n");
	turn();
	HOLDS(has_happened("<whole\n"));
	arrive("half");
	set_dtr(false);
	set_dtr(true);
	arrive("next\n");
	HOLDS(usb_port_write((const uint8_t *)"late answer\n", 12) == 0);
	uint8_t byte;
	HOLDS(usb_port_read(&byte, 1) == 0);
	turn();
	HOLDS(has_happened("><next\n"));
	HOLDS(usb_port_write((const uint8_t *)"unread\n", 7) == 7);
	set_dtr(false);
	HOLDS(unsentLength == 0);
	turn();
	HOLDS(has_happened(">"));
	set_dtr(true);
	set_dtr(false);
	turn();
	HOLDS(has_happened(""));
	set_dtr(true);
	turn();
	isConnected = false;
	tud_suspend_cb(false);
	turn();
	HOLDS(has_happened("<>"));
	isConnected = true;
	tud_resume_cb();
	turn();
	HOLDS(has_happened("<"));
	return failures > 0;
}
