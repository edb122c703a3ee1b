/*
 * embedded:io/serial (ECMA-419 §11): the console's USB port, a CDC ACM function by TinyUSB on the pins of the S3's own
 * USB. The chip has a serial port in hardware on the same pins, which would need none of this; but it cannot report
 * whether a program on the host has opened it (DTR), and without DTR the receiver of the bytes is unknown.
 *
 * TinyUSB's task posts that something has changed; `look`, on the machine's task, then reads, writes and calls back.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "byte-arguments.h"
#include "event-loop.h"
#include "tinyusb.h"
#include "tinyusb_cdc_acm.h"
#include "tinyusb_default_config.h"
#include "tusb.h"

enum { INPUT_BYTES = 4096, OUTPUT_BYTES = 8192 };

static const tinyusb_cdcacm_itf_t PORT = TINYUSB_CDC_ACM_0;

typedef struct {
	bool isOpen;			/* DTR, as reported to the program */
	unsigned int hangUps;	/* reported to the program */
	size_t announced;
	ByteQueue input;
	ByteQueue output;
	xsSlot self;
	xsSlot onReadable;
	xsSlot onWritable;
	xsSlot onDataTerminalReady;
	uint8_t inputBytes[INPUT_BYTES];
	uint8_t outputBytes[OUTPUT_BYTES];
} Serial;

static Serial *opened;		/* there is one port */

/* Set on TinyUSB's task. */
static _Atomic bool dataTerminalReady;
static _Atomic unsigned int hangUps;
static _Atomic bool isLookPosted;

static bool has_more_room(const Serial *serial)
{
	size_t room = byte_queue_room(&serial->output);
	return serial->isOpen && room > serial->announced && room >= OUTPUT_BYTES / 2;
}

static void send(Serial *serial)
{
	size_t length = serial->output.length;
	if (length == 0)
		return;
	byte_queue_drop(&serial->output, tinyusb_cdcacm_write_queue(PORT, byte_queue_head(&serial->output), length));
	(void)tinyusb_cdcacm_write_flush(PORT, 0);
}

static void tell_open(Serial *serial, bool isOpen)
{
	serial->isOpen = isOpen;
	serial->announced = 0;
	byte_queue_clear(&serial->input);
	byte_queue_clear(&serial->output);
	if (!isOpen) {
		tud_cdc_n_read_flush(PORT);
		tud_cdc_n_write_clear(PORT);
	}
	machine_call_boolean(&serial->self, &serial->onDataTerminalReady, isOpen);
}

static void receive(Serial *serial)
{
	size_t received = 0, room = byte_queue_room(&serial->input);
	if (room == 0 || tinyusb_cdcacm_read(PORT, byte_queue_tail(&serial->input), room, &received) != ESP_OK)
		return;
	byte_queue_added(&serial->input, received);
	if (received > 0)
		machine_call_count(&serial->self, &serial->onReadable, (xsIntegerValue)serial->input.length);
}

static void tell_writable(Serial *serial)
{
	if (!has_more_room(serial))
		return;
	serial->announced = byte_queue_room(&serial->output);
	machine_call_count(&serial->self, &serial->onWritable, (xsIntegerValue)serial->announced);
}

/* A callback may have closed the port: then the record is gone, and no further callback follows. */
static void look(void *context)
{
	Serial *serial = opened;
	(void)context;
	isLookPosted = false;
	if (serial && serial->isOpen && serial->hangUps != hangUps)
		tell_open(serial, false);
	if (serial && serial == opened && !serial->isOpen && dataTerminalReady) {
		serial->hangUps = hangUps;
		tell_open(serial, true);
	}
	if (serial && serial == opened && serial->isOpen)
		send(serial);
	if (serial && serial == opened && serial->isOpen)
		receive(serial);
	if (serial && serial == opened)
		tell_writable(serial);
}

static void look_soon(void)
{
	if (!atomic_exchange(&isLookPosted, true))
		event_loop_post(look, NULL);
}

static void set_ready(bool isReady)
{
	if (dataTerminalReady && !isReady)
		hangUps++;
	dataTerminalReady = isReady;
	look_soon();
}

/* Called by TinyUSB, which finds it by its name. */
void tud_cdc_tx_complete_cb(uint8_t port)
{
	(void)port;
	look_soon();
}

static void on_received(int port, cdcacm_event_t *event)
{
	(void)port, (void)event;
	look_soon();
}

static void on_line_state(int port, cdcacm_event_t *event)
{
	(void)port;
	set_ready(event->line_state_changed_data.dtr);
}

/* The cable was pulled: a host that is gone reports no more line states. */
static void on_device(tinyusb_event_t *event, void *context)
{
	(void)context;
	if (event->id == TINYUSB_EVENT_DETACHED)
		set_ready(false);
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

void xs_serial_destructor(void *data)
{
	if (opened == data)
		opened = NULL;
	free(data);
}

/* constructor({ onReadable, onWritable, onDataTerminalReady }) */
void xs_serial_constructor(xsMachine *the)
{
	xsmcVars(3);
	xsVar(0) = machine_get_callback(the, &xsArg(0), "onReadable");
	xsVar(1) = machine_get_callback(the, &xsArg(0), "onWritable");
	xsVar(2) = machine_get_callback(the, &xsArg(0), "onDataTerminalReady");
	if (opened)
		xsUnknownError("the USB port is open already");
	Serial *serial = start_driver() ? calloc(1, sizeof(Serial)) : NULL;
	if (!serial)
		xsUnknownError("no USB port");
	byte_queue_open(&serial->input, serial->inputBytes, INPUT_BYTES);
	byte_queue_open(&serial->output, serial->outputBytes, OUTPUT_BYTES);
	serial->hangUps = hangUps;
	opened = serial;
	xsmcSetHostData(xsThis, serial);
	machine_keep(the, &serial->self, xsThis);
	machine_keep(the, &serial->onReadable, xsVar(0));
	machine_keep(the, &serial->onWritable, xsVar(1));
	machine_keep(the, &serial->onDataTerminalReady, xsVar(2));
	look_soon();
}

/* There may be more in TinyUSB's buffer than there was room for. */
void xs_serial_read(xsMachine *the)
{
	Serial *serial = xsmcGetHostDataValidate(xsThis, xs_serial_destructor);
	read_from_queue(the, &serial->input);
	look_soon();
}

/* write(bytes): all or nothing. */
void xs_serial_write(xsMachine *the)
{
	Serial *serial = xsmcGetHostDataValidate(xsThis, xs_serial_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	size_t room = serial->isOpen ? byte_queue_room(&serial->output) : 0;
	if (length > room)
		xsRangeError("cannot write %u bytes, there is room for %u", (unsigned int)length, (unsigned int)room);
	byte_queue_append(&serial->output, bytes, length);
	serial->announced -= length < serial->announced ? length : serial->announced;
	send(serial);
	if (has_more_room(serial))
		look_soon();
}

void xs_serial_close(xsMachine *the)
{
	Serial *serial = xsmcGetHostData(xsThis);
	if (!serial)
		return;
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	machine_release(the, &serial->self);
	machine_release(the, &serial->onReadable);
	machine_release(the, &serial->onWritable);
	machine_release(the, &serial->onDataTerminalReady);
	xs_serial_destructor(serial);
}
