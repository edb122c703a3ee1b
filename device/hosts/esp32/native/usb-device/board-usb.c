/*
 * The console's USB port (usb-port.h): a CDC ACM function by TinyUSB on the pins of the S3's own USB. The chip has a
 * serial port in hardware on the same pins, which would need none of this; but it cannot report whether a program on the
 * host has opened it (DTR), and without DTR the receiver of the bytes is unknown.
 *
 * TinyUSB's task posts that something has changed; `update`, on the machine's task, calls the client. The driver starts
 * at the first attach.
 *
 * When a program closes the port, TinyUSB's task drops what it has left: USB keeps the order of DTR and of the bytes, so
 * the next program's have not arrived. Until the client knows, it can neither read nor write.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "event-loop.h"
#include "tinyusb.h"
#include "tinyusb_cdc_acm.h"
#include "tinyusb_default_config.h"
#include "tusb.h"
#include "usb-port.h"

static const tinyusb_cdcacm_itf_t PORT = TINYUSB_CDC_ACM_0;

static const UsbPortClient *client;
static bool wantsInput, wantsOutput;
static bool isPlugged;				/* DTR, as reported to the client */
static unsigned int reportedHangUps;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;		/* of bytes that pass, and of hanging up */

/* Set on TinyUSB's task. */
static _Atomic bool dataTerminalReady;
static _Atomic unsigned int hangUps;
static _Atomic bool isUpdatePosted;

static void report(bool isPluggedNow)
{
	isPlugged = isPluggedNow;
	client->onPlug(client->context, isPluggedNow);
}

/* Each callback may detach the client. */
static void update(void *context)
{
	(void)context;
	isUpdatePosted = false;
	const unsigned int seenHangUps = hangUps;		// first: DTR drops before they are counted
	if (client && isPlugged && reportedHangUps != seenHangUps)
		report(false);
	if (client && !isPlugged && dataTerminalReady) {
		reportedHangUps = seenHangUps;
		report(true);
	}
	if (client && isPlugged && wantsOutput)
		client->onWritable(client->context);
	if (client && isPlugged && wantsInput)
		client->onReadable(client->context);
}

static void post_update(void)
{
	if (!atomic_exchange(&isUpdatePosted, true))
		event_loop_post(update, NULL);
}

static void drop_input(void)
{
	pthread_mutex_lock(&lock);
	tud_cdc_n_read_flush(PORT);
	pthread_mutex_unlock(&lock);
}

static void hang_up(void)
{
	pthread_mutex_lock(&lock);
	hangUps++;
	tud_cdc_n_read_flush(PORT);
	tud_cdc_n_write_clear(PORT);
	pthread_mutex_unlock(&lock);
}

static void set_ready(bool isReady)
{
	if (atomic_exchange(&dataTerminalReady, isReady) && !isReady)
		hang_up();
	post_update();
}

/* Called by TinyUSB, which links it by its name. */
void tud_cdc_tx_complete_cb(uint8_t port)
{
	(void)port;
	post_update();
}

static void on_received(int port, cdcacm_event_t *event)
{
	(void)port, (void)event;
	post_update();
}

static void on_line_state(int port, cdcacm_event_t *event)
{
	(void)port;
	set_ready(event->line_state_changed_data.dtr);
}

/*
 * The bus has changed, of which no line state tells. A chip that does not see the cable's power sees a pulled cable as a
 * host that sleeps, and then a bus that begins anew, with DTR off. A host that wakes has DTR as it was. What was dropped
 * while it slept can have left no transfer under way: dropping begins the next one.
 */
static void follow_bus(void)
{
	const bool isReady = tud_cdc_n_connected(PORT);
	set_ready(isReady);
	if (isReady)
		drop_input();
}

/* The host has configured the device, or does so no more. */
static void on_device(tinyusb_event_t *event, void *context)
{
	(void)event, (void)context;
	follow_bus();
}

/* Called by TinyUSB, which links them by their names. */
void tud_suspend_cb(bool isWakingAllowed)
{
	(void)isWakingAllowed;
	follow_bus();
}

void tud_resume_cb(void)
{
	follow_bus();
}

static bool start_driver(void)
{
	static bool isStarted;
	const tinyusb_config_t device = TINYUSB_DEFAULT_CONFIG(on_device);
	const tinyusb_config_cdcacm_t port = {
		.cdc_port = PORT,
		.callback_rx = on_received,
		.callback_line_state_changed = on_line_state,
	};
	if (!isStarted)
		isStarted = tinyusb_driver_install(&device) == ESP_OK && tinyusb_cdcacm_init(&port) == ESP_OK;
	return isStarted;
}

bool usb_port_attach(const UsbPortClient *newClient)
{
	if (!start_driver())
		return false;
	client = newClient;
	isPlugged = wantsInput = wantsOutput = false;
	hang_up();
	reportedHangUps = hangUps;
	post_update();
	return true;
}

void usb_port_detach(void)
{
	client = NULL;
}

/* TinyUSB reports input once: input that arrived while none was wanted must still be read. */
void usb_port_want(bool input, bool output)
{
	const bool isInputWantedAgain = input && !wantsInput;
	wantsInput = input;
	wantsOutput = output;
	if (isInputWantedAgain)
		post_update();
}

size_t usb_port_read(uint8_t *bytes, size_t byteLength)
{
	size_t received = 0;
	pthread_mutex_lock(&lock);
	if (byteLength > 0 && reportedHangUps == hangUps)
		(void)tinyusb_cdcacm_read(PORT, bytes, byteLength, &received);
	pthread_mutex_unlock(&lock);
	if (received > 0)
		post_update();		// TinyUSB's buffer may hold more
	return received;
}

size_t usb_port_write(const uint8_t *bytes, size_t byteLength)
{
	size_t sent = 0;
	pthread_mutex_lock(&lock);
	if (byteLength > 0 && reportedHangUps == hangUps)
		sent = tinyusb_cdcacm_write_queue(PORT, bytes, byteLength);
	if (sent > 0)
		(void)tinyusb_cdcacm_write_flush(PORT, 0);
	pthread_mutex_unlock(&lock);
	return sent;
}
