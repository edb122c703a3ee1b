/*
 * A port without DTR, with a driver that a script drives: when it opens and closes, what is read, and which text goes
 * out in which order. Prints what does not hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/uart.h"
#include "esp_log.h"
#include "event-loop.h"
#include "freertos/task.h"
#include "holds.h"
#include "uart-opener.h"
#include "usb-port.h"

/* The chip: its clock, what has arrived and was sent, and the task that watches. */
static double nowMs;
static char received[16384], sent[16384];
static size_t receivedLength, sentLength, room = 2048;
static TaskFunction_t watch;
static vprintf_like_t printLog;
static uart_event_t queue[16];
static int queueLength;
static TickType_t patience;

static void (*posted)(void *context);

double event_loop_now(void) { return nowMs; }
void event_loop_post(void (*callback)(void *context), void *context) { (void)context; posted = callback; }

vprintf_like_t esp_log_set_vprintf(vprintf_like_t print)
{
	printLog = print;
	return NULL;
}

esp_err_t uart_driver_install(uart_port_t port, int receiveBytes, int sendBytes, int length, QueueHandle_t *events, int flags)
{
	(void)port, (void)receiveBytes, (void)sendBytes, (void)length, (void)events, (void)flags;
	return ESP_OK;
}

esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config)
{
	(void)port;
	HOLDS(config->baud_rate == 115200);
	return ESP_OK;
}

esp_err_t uart_flush_input(uart_port_t port)
{
	(void)port;
	receivedLength = 0;
	return ESP_OK;
}

esp_err_t uart_get_buffered_data_len(uart_port_t port, size_t *size)
{
	(void)port;
	*size = receivedLength;
	return ESP_OK;
}

esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size)
{
	(void)port;
	*size = room;
	return ESP_OK;
}

int uart_read_bytes(uart_port_t port, void *buffer, uint32_t length, TickType_t ticks)
{
	(void)port, (void)ticks;
	const size_t taken = length < receivedLength ? length : receivedLength;
	memcpy(buffer, received, taken);
	receivedLength -= taken;
	memmove(received, received + taken, receivedLength);
	return (int)taken;
}

int uart_write_bytes(uart_port_t port, const void *source, size_t size)
{
	(void)port;
	HOLDS(size <= room);		// else the driver would wait
	memcpy(sent + sentLength, source, size);
	sentLength += size;
	room -= size;
	return (int)size;
}

BaseType_t xTaskCreate(TaskFunction_t code, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *task)
{
	(void)name, (void)stack, (void)parameters, (void)priority, (void)task;
	watch = code;
	return pdTRUE;
}

BaseType_t xQueueGenericSend(QueueHandle_t events, const void *item, TickType_t ticks, BaseType_t position)
{
	(void)events, (void)ticks, (void)position;
	if (queueLength < 16)
		queue[queueLength++] = *(const uart_event_t *)item;
	return pdTRUE;
}

/* The watching task never returns: it is left where it would wait. */
static jmp_buf waits;

BaseType_t xQueueReceive(QueueHandle_t events, void *item, TickType_t ticks)
{
	(void)events;
	patience = ticks;
	if (queueLength == 0)
		longjmp(waits, 1);
	*(uart_event_t *)item = queue[0];
	memmove(queue, queue + 1, (size_t)--queueLength * sizeof(queue[0]));
	return pdTRUE;
}

/* What happens until nothing is left to do. */
static void turn(void)
{
	do {
		if (setjmp(waits) == 0)
			watch(NULL);
		void (*callback)(void *context) = posted;
		posted = NULL;
		if (callback)
			callback(NULL);
	} while (posted || queueLength > 0);
}

static void event(uart_event_type_t type)
{
	const uart_event_t event = { .type = type };
	(void)xQueueSend(NULL, &event, 0);
	turn();
}

static void arrive(const char *text)
{
	memcpy(received + receivedLength, text, strlen(text));
	receivedLength += strlen(text);
	event(UART_DATA);
}

/* The limit of the watching task's wait, which it reports as an event of no kind. */
static void wait_for(double ms)
{
	nowMs += ms;
	event(UART_EVENT_MAX);
}

/* The client: what it was told, and what it read since it was asked last. */
static int opened, closed;
static char read[16384];
static size_t readLength;

static void on_plug(void *context, bool isPlugged)
{
	(void)context;
	if (isPlugged)
		opened++;
	else
		closed++;
	usb_port_want(isPlugged, false);
}

static void on_readable(void *context)
{
	(void)context;
	readLength += usb_port_read((uint8_t *)read + readLength, 4096);
}

static void on_writable(void *context) { (void)context; }

static bool has_read(const char *text)
{
	const bool isSame = readLength == strlen(text) && memcmp(read, text, readLength) == 0;
	readLength = 0;
	return isSame;
}

static bool has_sent(const char *text)
{
	const bool isSame = sentLength == strlen(text) && memcmp(sent, text, sentLength) == 0;
	if (!isSame)
		printf("sent \"%.*s\"\n", (int)sentLength, sent);
	sentLength = 0;
	room = 2048;
	return isSame;
}

static void write_text(const char *text)
{
	HOLDS(usb_port_write((const uint8_t *)text, strlen(text)) == strlen(text));
}

static void log_text(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)printLog(format, arguments);
	va_end(arguments);
}

static const UsbPortClient CLIENT = { .onReadable = on_readable, .onWritable = on_writable, .onPlug = on_plug };

static void check_opening(void)
{
	turn();
	HOLDS(opened == 0 && patience == portMAX_DELAY);		// nobody has said a word
	arrive("\n{\"id\":1}\n");
	HOLDS(opened == 1 && closed == 0 && has_read("\n{\"id\":1}\n"));
	wait_for(HALF_LINE_LIMIT_MS * 100);
	HOLDS(closed == 0 && patience == portMAX_DELAY);		// whole lines are never late
	arrive("{\"id\":");
	HOLDS(patience != portMAX_DELAY && has_read("{\"id\":"));
	wait_for(HALF_LINE_LIMIT_MS - 1);
	HOLDS(closed == 0);
	arrive("2}\n");
	wait_for(HALF_LINE_LIMIT_MS);
	HOLDS(closed == 0 && has_read("2}\n"));
	arrive("{\"id\":");
	wait_for(HALF_LINE_LIMIT_MS);
	turn();
	HOLDS(closed == 1 && has_read("{\"id\":") && patience == portMAX_DELAY);
	arrive("{\"id\":3}\n");
	HOLDS(opened == 2 && has_read("{\"id\":3}\n"));
}

static void check_break(void)
{
	arrive("{\"half");
	event(UART_BREAK);
	HOLDS(closed == 2);
	readLength = 0;
	event(UART_BREAK);
	HOLDS(closed == 2 && opened == 2);		// it is closed already
	arrive("{\"id\":4}\n");
	HOLDS(opened == 3 && has_read("{\"id\":4}\n"));
}

/* The next program's bytes may arrive before the machine knows of the break. */
static void check_break_between_programs(void)
{
	arrive("\n");
	(void)has_read("\n");
	const int wasOpened = opened, wasClosed = closed;
	usb_port_want(false, false);
	arrive("{\"half");
	const uart_event_t breaking = { .type = UART_BREAK };
	(void)xQueueSend(NULL, &breaking, 0);
	if (setjmp(waits) == 0)
		watch(NULL);
	usb_port_want(true, false);
	uint8_t byte;
	HOLDS(usb_port_read(&byte, 1) == 0);
	arrive("{\"id\":8}\n");
	HOLDS(closed == wasClosed + 1 && opened == wasOpened + 1 && has_read("{\"id\":8}\n"));
}

/* Half a line is not late while the console itself does not read on. */
static void check_slow_console(void)
{
	arrive("{\"id");
	(void)has_read("{\"id");
	usb_port_want(false, false);
	arrive("\":5}\n");
	wait_for(HALF_LINE_LIMIT_MS * 2);
	HOLDS(closed == 2);
	usb_port_want(true, false);
	turn();
	HOLDS(has_read("\":5}\n"));
}

static void check_output(void)
{
	char text[2049];
	memset(text, 'x', sizeof(text) - 1);
	text[2048] = 0;
	sentLength = 0;
	room = 100;
	const size_t taken = usb_port_write((const uint8_t *)text, 2048);
	HOLDS(taken > 0 && taken < 100);
	room = 10;
	HOLDS(usb_port_write((const uint8_t *)text, 2048) == 0);
	room = 2048, sentLength = 0;
	usb_port_want(true, true);
	turn();
	HOLDS(patience <= 20);		// the driver does not say when it has room
	usb_port_want(true, false);
	write_text("}\n");
	HOLDS(has_sent("}\n"));
}

static void check_log(void)
{
	log_text("W (%d) wifi: late\n", 7);
	HOLDS(has_sent("W (7) wifi: late\n"));
	write_text("{\"id\":1,");
	log_text("W (8) wifi: %s", "half");
	log_text(" and half\n");
	HOLDS(has_sent("{\"id\":1,"));
	write_text("\"status\":200}\n");
	HOLDS(has_sent("\"status\":200}\nW (8) wifi: half and half\n"));
	log_text("no end");
	write_text("{}\n");
	HOLDS(has_sent("{}\n"));
	log_text("\n");
	HOLDS(has_sent("no end\n"));
	write_text("{");
	for (int index = 0; index < 100; index++)
		log_text("W (%d) more than there is room for\n", index);
	write_text("}\n");
	HOLDS(sentLength > 100 && sentLength < 600 && sent[sentLength - 1] == '\n');
	sentLength = 0, room = 2048;
	log_text("%0300d", 0);
	HOLDS(sent[sentLength - 1] == '\n' && sentLength < 300);
	sentLength = 0;
}

/* The program that reads next begins with a line of its own. */
static void check_torn_line(void)
{
	arrive("\n");
	write_text("{\"event\":");
	log_text("W (9) late\n");
	event(UART_BREAK);
	HOLDS(has_sent("{\"event\":\nW (9) late\n"));
}

int main(void)
{
	HOLDS(usb_port_attach(&CLIENT));
	check_opening();
	check_break();
	check_slow_console();
	check_output();
	check_log();
	check_torn_line();
	check_break_between_programs();
	usb_port_detach();
	const int wasOpened = opened;
	arrive("{\"id\":6}\n");
	HOLDS(opened == wasOpened);
	return failures > 0;
}
