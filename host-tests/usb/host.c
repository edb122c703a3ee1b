/* The played controller and host (host.h). The controller's side is TinyUSB's device/dcd.h. */
#include "host.h"

#include <string.h>

#include "device/dcd.h"
#include "tusb.h"

enum { ENDPOINTS = 6, ADDRESS = 1, CONFIGURATION = 1, CONTROL_INTERFACE = 0 };

typedef struct {
	uint8_t *bytes;
	uint16_t byteLength, done;
	bool isUnderWay, isStalled;
} Endpoint;

static Endpoint out[ENDPOINTS], in[ENDPOINTS];

static Endpoint *endpoint_at(uint8_t address)
{
	Endpoint *side = tu_edpt_dir(address) == TUSB_DIR_IN ? in : out;
	return side + tu_edpt_number(address);
}

/* The controller. */

bool dcd_init(uint8_t port, const tusb_rhport_init_t *init) { (void)port, (void)init; return true; }
void dcd_int_enable(uint8_t port) { (void)port; }
void dcd_int_disable(uint8_t port) { (void)port; }
void dcd_int_handler(uint8_t port) { (void)port; }
void dcd_connect(uint8_t port) { (void)port; }
void dcd_disconnect(uint8_t port) { (void)port; }
void dcd_remote_wakeup(uint8_t port) { (void)port; }
void dcd_sof_enable(uint8_t port, bool isOn) { (void)port, (void)isOn; }

void dcd_set_address(uint8_t port, uint8_t address)
{
	(void)address;
	dcd_edpt_xfer(port, 0x80, NULL, 0);
}

bool dcd_edpt_open(uint8_t port, const tusb_desc_endpoint_t *endpoint)
{
	(void)port;
	*endpoint_at(endpoint->bEndpointAddress) = (Endpoint){ 0 };
	return true;
}

void dcd_edpt_close_all(uint8_t port)
{
	(void)port;
	memset(out + 1, 0, sizeof(out) - sizeof(*out));
	memset(in + 1, 0, sizeof(in) - sizeof(*in));
}

bool dcd_edpt_xfer(uint8_t port, uint8_t address, uint8_t *bytes, uint16_t byteLength)
{
	(void)port;
	*endpoint_at(address) = (Endpoint){ .bytes = bytes, .byteLength = byteLength, .isUnderWay = true };
	return true;
}

void dcd_edpt_stall(uint8_t port, uint8_t address) { (void)port; endpoint_at(address)->isStalled = true; }
void dcd_edpt_clear_stall(uint8_t port, uint8_t address) { (void)port; endpoint_at(address)->isStalled = false; }

/* The host. */

static void run(void)
{
	tud_task();
	turn();
	tud_task();
}

static void complete(uint8_t address)
{
	Endpoint *endpoint = endpoint_at(address);
	endpoint->isUnderWay = false;
	dcd_event_xfer_complete(0, address, endpoint->done, XFER_RESULT_SUCCESS, true);
	run();
}

/* @returns whether the console took the packet. A transfer ends when it is full, and with a short packet */
static bool send_packet(uint8_t address, const uint8_t *bytes, size_t byteLength)
{
	Endpoint *endpoint = endpoint_at(address);
	if (!endpoint->isUnderWay)
		return false;
	const size_t room = endpoint->byteLength - endpoint->done;
	const size_t taken = byteLength < room ? byteLength : room;
	if (taken > 0)
		memcpy(endpoint->bytes + endpoint->done, bytes, taken);
	endpoint->done += taken;
	if (byteLength < PACKET_BYTES || endpoint->done == endpoint->byteLength)
		complete(address);
	return true;
}

/* @returns the length of the packet, or -1 if the console has none */
static int fetch_packet(uint8_t address, uint8_t *bytes)
{
	Endpoint *endpoint = endpoint_at(address);
	if (!endpoint->isUnderWay)
		return -1;
	const uint16_t left = endpoint->byteLength - endpoint->done;
	const uint16_t byteLength = left < PACKET_BYTES ? left : PACKET_BYTES;
	if (byteLength > 0)
		memcpy(bytes, endpoint->bytes + endpoint->done, byteLength);
	endpoint->done += byteLength;
	if (endpoint->done == endpoint->byteLength)
		complete(address);
	return byteLength;
}

/* A control transfer: to the console if `given`, else of up to `wLength` bytes into `taken`. @returns -1 if refused */
static int request(tusb_control_request_t setup, const uint8_t *given, uint8_t *taken)
{
	uint8_t packet[PACKET_BYTES];
	int received = 0;
	in[0] = out[0] = (Endpoint){ 0 };
	dcd_event_setup_received(0, (const uint8_t *)&setup, true);
	run();
	if (setup.bmRequestType_bit.direction == TUSB_DIR_OUT) {
		if (setup.wLength > 0 && !in[0].isStalled && !send_packet(0x00, given, setup.wLength))
			return -1;
		return !in[0].isStalled && fetch_packet(0x80, packet) == 0 ? 0 : -1;
	}
	for (int length = PACKET_BYTES; length == PACKET_BYTES && received < setup.wLength; received += length) {
		length = in[0].isStalled ? -1 : fetch_packet(0x80, packet);
		if (length < 0)
			return -1;
		memcpy(taken + received, packet, length);
	}
	return send_packet(0x00, NULL, 0) ? received : -1;
}

static bool standard(uint8_t what, uint16_t value)
{
	return request((tusb_control_request_t){ .bRequest = what, .wValue = value }, NULL, NULL) == 0;
}

static bool of_class(uint8_t what, uint16_t value, const void *bytes, uint16_t byteLength)
{
	const tusb_control_request_t setup = {
		.bmRequestType_bit = { .type = TUSB_REQ_TYPE_CLASS, .recipient = TUSB_REQ_RCPT_INTERFACE },
		.bRequest = what,
		.wValue = value,
		.wIndex = CONTROL_INTERFACE,
		.wLength = byteLength,
	};
	return request(setup, bytes, NULL) == 0;
}

void host_resets_bus(void)
{
	dcd_event_bus_reset(0, TUSB_SPEED_FULL, true);
	run();
}

bool host_enumerates(void)
{
	host_resets_bus();
	return standard(TUSB_REQ_SET_ADDRESS, ADDRESS) && standard(TUSB_REQ_SET_CONFIGURATION, CONFIGURATION);
}

size_t host_describes(uint8_t type, uint8_t index, uint8_t *bytes, size_t byteLength)
{
	const tusb_control_request_t setup = {
		.bmRequestType_bit = { .direction = TUSB_DIR_IN },
		.bRequest = TUSB_REQ_GET_DESCRIPTOR,
		.wValue = type << 8 | index,
		.wLength = byteLength,
	};
	const int received = request(setup, NULL, bytes);
	return received < 0 ? 0 : received;
}

bool host_unconfigures(void)
{
	return standard(TUSB_REQ_SET_CONFIGURATION, 0);
}

bool host_sets_lines(bool dtr, bool rts)
{
	return of_class(CDC_REQUEST_SET_CONTROL_LINE_STATE, dtr | rts << 1, NULL, 0);
}

bool host_sets_speed(uint32_t bitsPerSecond)
{
	const cdc_line_coding_t coding = { .bit_rate = bitsPerSecond, .data_bits = 8 };
	return of_class(CDC_REQUEST_SET_LINE_CODING, 0, &coding, sizeof(coding));
}

bool host_sends_break(void)
{
	return of_class(CDC_REQUEST_SEND_BREAK, 250, NULL, 0);
}

/* The data of a CDC function go over the endpoint pair that TinyUSB has opened for it, the second of two. */
enum { DATA_OUT = 0x02, DATA_IN = 0x82 };

size_t host_sends(const void *bytes, size_t byteLength)
{
	size_t sent = 0;
	while (sent < byteLength) {
		const size_t left = byteLength - sent;
		const size_t packet = left < PACKET_BYTES ? left : PACKET_BYTES;
		if (!send_packet(DATA_OUT, (const uint8_t *)bytes + sent, packet))
			break;
		sent += packet;
	}
	return sent;
}

size_t host_reads(void *bytes, size_t byteLength)
{
	size_t received = 0;
	while (byteLength - received >= PACKET_BYTES) {
		const int packet = fetch_packet(DATA_IN, (uint8_t *)bytes + received);
		if (packet < 0)
			break;
		received += packet;
	}
	return received;
}

void host_suspends(void)
{
	dcd_event_bus_signal(0, DCD_EVENT_SUSPEND, true);
	run();
}

void host_resumes(void)
{
	dcd_event_bus_signal(0, DCD_EVENT_RESUME, true);
	run();
}

void controller_sees_no_power(void)
{
	dcd_event_bus_signal(0, DCD_EVENT_UNPLUGGED, true);
	run();
}
