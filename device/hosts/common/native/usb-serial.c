/*
 * embedded:io/serial (ECMA-419 §11): the console's USB port (usb-port.h). Flow control by byte counts; plugging and
 * unplugging are reported as Data Terminal Ready (DTR), which a USB host sets while it has the port open. While no host
 * has the port open, there is no room to write.
 */
#include <stdlib.h>

#include "byte-arguments.h"
#include "event-loop.h"
#include "usb-port.h"

enum { INPUT_BYTES = 4096, OUTPUT_BYTES = 8192 };

typedef struct {
	UsbPortClient client;
	bool isPlugged;
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
static bool isAnnouncementPosted;

static void want(Serial *serial)
{
	usb_port_want(serial->isPlugged && byte_queue_room(&serial->input) > 0, serial->output.length > 0);
}

static bool has_more_room(const Serial *serial)
{
	size_t room = byte_queue_room(&serial->output);
	return serial->isPlugged && room > serial->announced && room >= OUTPUT_BYTES / 2;
}

static void announce_room(Serial *serial)
{
	if (!has_more_room(serial))
		return;
	serial->announced = byte_queue_room(&serial->output);
	machine_call_count(&serial->self, &serial->onWritable, (xsIntegerValue)serial->announced);
}

/* Posted by a write that was sent immediately: there is room again. The port may have been closed meanwhile. */
static void announce_posted(void *context)
{
	(void)context;
	isAnnouncementPosted = false;
	if (opened)
		announce_room(opened);
}

static void announce_room_later(const Serial *serial)
{
	if (isAnnouncementPosted || !has_more_room(serial))
		return;
	isAnnouncementPosted = true;
	event_loop_post(announce_posted, NULL);
}

static void serial_readable(void *context)
{
	Serial *serial = context;
	size_t room = byte_queue_room(&serial->input);
	size_t received = usb_port_read(byte_queue_tail(&serial->input), room);
	byte_queue_added(&serial->input, received);
	want(serial);
	if (received > 0)
		machine_call_count(&serial->self, &serial->onReadable, (xsIntegerValue)serial->input.length);
}

static void serial_writable(void *context)
{
	Serial *serial = context;
	byte_queue_drop(&serial->output, usb_port_write(byte_queue_head(&serial->output), serial->output.length));
	want(serial);
	announce_room(serial);
}

/* The callback may have closed the port: then the record is gone, and no further callback follows. */
static void serial_plug(void *context, bool isPlugged)
{
	Serial *serial = context;
	serial->isPlugged = isPlugged;
	serial->announced = 0;
	byte_queue_clear(&serial->input);
	byte_queue_clear(&serial->output);
	want(serial);
	machine_call_boolean(&serial->self, &serial->onDataTerminalReady, isPlugged);
	if (opened == serial)
		announce_room(serial);
}

void xs_serial_destructor(void *data)
{
	if (!data)
		return;
	usb_port_detach();
	opened = NULL;
	free(data);
}

static Serial *serial_new(void)
{
	Serial *serial = calloc(1, sizeof(Serial));
	if (!serial)
		return NULL;
	serial->client = (UsbPortClient){
		.onReadable = serial_readable, .onWritable = serial_writable, .onPlug = serial_plug, .context = serial,
	};
	byte_queue_open(&serial->input, serial->inputBytes, INPUT_BYTES);
	byte_queue_open(&serial->output, serial->outputBytes, OUTPUT_BYTES);
	return serial;
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
	Serial *serial = serial_new();
	if (!serial || !usb_port_attach(&serial->client)) {
		free(serial);
		xsUnknownError("no USB port");
	}
	opened = serial;
	isAnnouncementPosted = false;		// a crash may have left one in the queue, where nothing wakes the loop for it
	xsmcSetHostData(xsThis, serial);
	machine_keep(the, &serial->self, xsThis);
	machine_keep(the, &serial->onReadable, xsVar(0));
	machine_keep(the, &serial->onWritable, xsVar(1));
	machine_keep(the, &serial->onDataTerminalReady, xsVar(2));
}

void xs_serial_read(xsMachine *the)
{
	Serial *serial = xsmcGetHostDataValidate(xsThis, xs_serial_destructor);
	read_from_queue(the, &serial->input);
	want(serial);
}

/* write(bytes): all or nothing. */
void xs_serial_write(xsMachine *the)
{
	Serial *serial = xsmcGetHostDataValidate(xsThis, xs_serial_destructor);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	size_t room = serial->isPlugged ? byte_queue_room(&serial->output) : 0;
	if (length > room)
		xsRangeError("cannot write %u bytes, there is room for %u", (unsigned int)length, (unsigned int)room);
	size_t sent = serial->output.length == 0 ? usb_port_write(bytes, length) : 0;
	byte_queue_append(&serial->output, (uint8_t *)bytes + sent, length - sent);
	serial->announced -= length < serial->announced ? length : serial->announced;
	announce_room_later(serial);
	want(serial);
}

void xs_serial_close(xsMachine *the)
{
	Serial *serial = machine_detach(the, xs_serial_destructor);
	if (!serial)
		return;
	machine_release(the, &serial->self);
	machine_release(the, &serial->onReadable);
	machine_release(the, &serial->onWritable);
	machine_release(the, &serial->onDataTerminalReady);
	xs_serial_destructor(serial);
}
