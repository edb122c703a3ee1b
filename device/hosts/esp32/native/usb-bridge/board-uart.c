/*
 * The console's USB port (usb-port.h) on a board whose USB socket leads to a bridge: UART 0 of the chip, without DTR.
 * What stands in for it is in uart-opener.h. ESP-IDF's log shares the port in whole lines (log-lines.h); the boot loader
 * and a crash write to it without asking, and programs on the host skip what is no message.
 *
 * The driver's events wake a task, which posts that something has changed; `update`, on the machine's task, calls the
 * client. The driver does not report that it has sent bytes: while output waits, the task looks again and again.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "driver/uart.h"
#include "esp_log.h"
#include "event-loop.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "log-lines.h"
#include "pin-map.h"
#include "uart-opener.h"
#include "usb-port.h"

enum {
	RECEIVED_BYTES = 6144,		/* there is no flow control: the longest line, while none is read */
	SENT_BYTES = 2048,
	FRAMING_BYTES = 64,			/* of the driver's buffer for sending, beside the bytes themselves */
	EVENTS = 16,
	STACK_BYTES = 2560,
	PRIORITY = 6,
	OUTPUT_POLL_MS = 20,		/* a tenth of what the driver holds at 115200 baud */
	HALF_LINE_POLL_MS = 1000,
	DROPPED_BYTES = 64,			/* at a time */
	LOG_TEXT_BYTES = 192,
};

static const uart_port_t PORT = UART_NUM_0;

static const UsbPortClient *client;
static bool wantsInput, wantsOutput;
static UartOpener opener;
static unsigned int breaks, handledBreaks;	/* under `receiving` */
static QueueHandle_t events;

static _Atomic bool isUpdatePosted;
static _Atomic bool isOutputWaiting, isHalfLineWaiting;

static pthread_mutex_t receiving = PTHREAD_MUTEX_INITIALIZER;	/* of what is read, and of breaks */
static size_t leftBytes;					/* unread at the last break: the next program's come after it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;		/* of what is sent */
static LogLines logLines;

static size_t room_to_send(void)
{
	size_t room = 0;
	(void)uart_get_tx_buffer_free_size(PORT, &room);
	return room > FRAMING_BYTES ? room - FRAMING_BYTES : 0;
}

/* Under the lock. */
static void send_log_lines(void)
{
	const size_t ready = log_lines_ready(&logLines);
	if (ready == 0 || ready > room_to_send())
		return;
	(void)uart_write_bytes(PORT, logLines.text, ready);
	log_lines_drop(&logLines, ready);
}

/* In place of ESP-IDF's own, on any task. */
static int print_log(const char *format, va_list arguments)
{
	char text[LOG_TEXT_BYTES];
	const int length = vsnprintf(text, sizeof(text), format, arguments);
	if (length <= 0)
		return length;
	if ((size_t)length >= sizeof(text))
		text[sizeof(text) - 2] = '\n';
	pthread_mutex_lock(&lock);
	log_lines_add(&logLines, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
	send_log_lines();
	pthread_mutex_unlock(&lock);
	return length;
}

/* The program that sent half a line, or read half of one, has left. The next one begins with a line of its own. */
static void end_sent_line(void)
{
	static const uint8_t end[] = { '\n' };
	pthread_mutex_lock(&lock);
	if (logLines.isWithinProtocolLine && room_to_send() > 0) {
		(void)uart_write_bytes(PORT, end, sizeof(end));
		log_lines_protocol(&logLines, end, sizeof(end));
	}
	send_log_lines();
	pthread_mutex_unlock(&lock);
}

static void post_update(void);

/* The watching task waits for as long as it knows of nothing to wait for. */
static void set_waiting(_Atomic bool *flag, bool isWaiting)
{
	const uart_event_t wake = { .type = UART_EVENT_MAX };
	if (!atomic_exchange(flag, isWaiting) && isWaiting)
		(void)xQueueSend(events, &wake, 0);
}

static void report(bool isPlugged)
{
	if (!isPlugged)
		end_sent_line();
	set_waiting(&isHalfLineWaiting, false);
	client->onPlug(client->context, isPlugged);
}

static size_t unread_bytes(void)
{
	size_t length = 0;
	return uart_get_buffered_data_len(PORT, &length) == ESP_OK ? length : 0;
}

static bool has_input(void)
{
	return unread_bytes() > 0;
}

/* On the watching task, which runs before the next program's bytes have arrived. */
static void note_break(void)
{
	pthread_mutex_lock(&receiving);
	leftBytes = unread_bytes();
	breaks++;
	pthread_mutex_unlock(&receiving);
}

/* @returns whether there was a break; what came before it is dropped */
static bool handle_break(void)
{
	uint8_t dropped[DROPPED_BYTES];
	pthread_mutex_lock(&receiving);
	const bool isBroken = breaks != handledBreaks;
	handledBreaks = breaks;
	while (isBroken && leftBytes > 0) {
		const size_t length = leftBytes < sizeof(dropped) ? leftBytes : sizeof(dropped);
		if (uart_read_bytes(PORT, dropped, (uint32_t)length, 0) <= 0)
			break;
		leftBytes -= length;
	}
	pthread_mutex_unlock(&receiving);
	return isBroken;
}

static bool has_left(void)
{
	if (handle_break())
		return uart_opener_break(&opener);
	return !has_input() && uart_opener_expired(&opener, event_loop_now());		// else the console is what is slow
}

/* Each callback may detach the client. */
static void update(void *context)
{
	(void)context;
	isUpdatePosted = false;
	if (client && has_left())
		report(false);
	if (client && has_input() && uart_opener_arrived(&opener, event_loop_now()))
		report(true);
	if (client && opener.isOpen && wantsOutput)
		client->onWritable(client->context);
	if (client && opener.isOpen && wantsInput && has_input())
		client->onReadable(client->context);
}

static void post_update(void)
{
	if (!atomic_exchange(&isUpdatePosted, true))
		event_loop_post(update, NULL);
}

static TickType_t patience(void)
{
	if (isOutputWaiting)
		return pdMS_TO_TICKS(OUTPUT_POLL_MS);
	return isHalfLineWaiting ? pdMS_TO_TICKS(HALF_LINE_POLL_MS) : portMAX_DELAY;
}

static void watch(void *context)
{
	(void)context;
	for (;;) {
		uart_event_t event;
		if (xQueueReceive(events, &event, patience()) == pdTRUE && event.type == UART_BREAK)
			note_break();
		post_update();
	}
}

static bool install_driver(void)
{
	const uart_config_t options = {
		.baud_rate = MODDEF_UART_BAUD,
		.data_bits = UART_DATA_8_BITS,
		.parity = UART_PARITY_DISABLE,
		.stop_bits = UART_STOP_BITS_1,
		.flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
		.source_clk = UART_SCLK_DEFAULT,
	};
	return uart_driver_install(PORT, RECEIVED_BYTES, SENT_BYTES, EVENTS, &events, 0) == ESP_OK
		&& uart_param_config(PORT, &options) == ESP_OK
		&& xTaskCreate(watch, "uart", STACK_BYTES, NULL, PRIORITY, NULL) == pdTRUE;
}

static bool start_driver(void)
{
	static bool isStarted;
	if (!isStarted && install_driver()) {
		isStarted = true;
		(void)esp_log_set_vprintf(print_log);
	}
	return isStarted;
}

bool usb_port_attach(const UsbPortClient *newClient)
{
	if (!start_driver())
		return false;
	(void)uart_flush_input(PORT);
	client = newClient;
	wantsInput = wantsOutput = false;
	opener = (UartOpener){ 0 };
	(void)handle_break();
	return true;
}

void usb_port_detach(void)
{
	client = NULL;
	set_waiting(&isOutputWaiting, false);
	set_waiting(&isHalfLineWaiting, false);
}

/* Input is reported once: what arrived while none was wanted must still be read. */
void usb_port_want(bool input, bool output)
{
	const bool isInputWantedAgain = input && !wantsInput;
	wantsInput = input;
	wantsOutput = output;
	set_waiting(&isOutputWaiting, output);
	if (isInputWantedAgain)
		post_update();
}

size_t usb_port_read(uint8_t *bytes, size_t byteLength)
{
	pthread_mutex_lock(&receiving);
	const bool mayRead = byteLength > 0 && breaks == handledBreaks;		// else `update` is to drop what was left
	const int received = mayRead ? uart_read_bytes(PORT, bytes, (uint32_t)byteLength, 0) : 0;
	pthread_mutex_unlock(&receiving);
	if (received <= 0)
		return 0;
	uart_opener_read(&opener, bytes, (size_t)received, event_loop_now());
	set_waiting(&isHalfLineWaiting, opener.isWithinLine);
	if (has_input())
		post_update();
	return (size_t)received;
}

size_t usb_port_write(const uint8_t *bytes, size_t byteLength)
{
	pthread_mutex_lock(&lock);
	const size_t room = room_to_send();
	const size_t sent = byteLength < room ? byteLength : room;
	if (sent > 0)
		(void)uart_write_bytes(PORT, bytes, sent);
	log_lines_protocol(&logLines, bytes, sent);
	send_log_lines();
	pthread_mutex_unlock(&lock);
	return sent;
}
