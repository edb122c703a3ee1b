/*
 * The console's port (board-usb.c) on TinyUSB and esp_tinyusb, as a host of USB sees it. Prints what does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "descriptors_control.h"
#include "event-loop.h"
#include "holds.h"
#include "host.h"
#include "tinyusb_task.h"
#include "usb-port.h"

/* In place of esp_tinyusb's task: the host gives TinyUSB its turns. */
esp_err_t tinyusb_task_check_config(const tinyusb_task_config_t *config) { (void)config; return ESP_OK; }
esp_err_t tinyusb_task_stop(void) { return ESP_OK; }
esp_err_t tinyusb_task_start(tinyusb_port_t port, const tinyusb_task_config_t *config, const tinyusb_desc_config_t *descriptors)
{
	(void)config;
	const tusb_rhport_init_t device = { .role = TUSB_ROLE_DEVICE, .speed = TUSB_SPEED_FULL };
	const bool isStarted = tinyusb_descriptors_set(port, descriptors) == ESP_OK && tusb_rhport_init(port, &device);
	return isStarted ? ESP_OK : ESP_FAIL;
}

/* The machine's task, which may be busy. */
static void (*posted)(void *context);
static bool isMachineBusy;

void event_loop_post(void (*callback)(void *context), void *context) { (void)context; posted = callback; }

void turn(void)
{
	while (posted && !isMachineBusy) {
		void (*callback)(void *context) = posted;
		posted = NULL;
		callback(NULL);
	}
}

/* The client keeps what it reads, unless it is not to read, and `<` and `>` for a program that opens and closes the port. */
enum { KEPT_BYTES = 64 * 1024, ANSWER_BYTES = 512 };
static char kept[KEPT_BYTES + 1];
static size_t keptLength;
static const uint8_t *toWrite;
static size_t toWriteLength;

static void keep(const char *bytes, size_t byteLength)
{
	memcpy(kept + keptLength, bytes, byteLength);
	kept[keptLength += byteLength] = 0;
}

static void on_plug(void *context, bool isPlugged)
{
	(void)context;
	keep(isPlugged ? "<" : ">", 1);
	usb_port_want(isPlugged, false);
}

static void on_readable(void *context)
{
	(void)context;
	uint8_t bytes[300];
	keep((char *)bytes, usb_port_read(bytes, sizeof(bytes)));
}

static void on_writable(void *context)
{
	(void)context;
	const size_t sent = usb_port_write(toWrite, toWriteLength < ANSWER_BYTES ? toWriteLength : ANSWER_BYTES);
	toWrite += sent;
	toWriteLength -= sent;
	if (toWriteLength == 0)
		usb_port_want(true, false);
}

static const UsbPortClient CLIENT = { .onReadable = on_readable, .onWritable = on_writable, .onPlug = on_plug };

static bool has_happened(const char *text)
{
	const bool isSame = strcmp(kept, text) == 0;
	if (!isSame)
		printf("happened: %.200s\n", kept);
	kept[keptLength = 0] = 0;
	return isSame;
}

static bool sends(const char *text) { return host_sends(text, strlen(text)) == strlen(text); }
static bool opens(void) { return host_sets_lines(true, true); }
static bool closes(void) { return host_sets_lines(false, false); }

static bool writes(const char *text)
{
	const bool isWhole = usb_port_write((const uint8_t *)text, strlen(text)) == strlen(text);
	tud_task();
	return isWhole;
}

static bool host_has(const char *text)
{
	char bytes[4096] = { 0 };
	const bool isSame = host_reads(bytes, sizeof(bytes) - 1) == strlen(text) && strcmp(bytes, text) == 0;
	if (!isSame)
		printf("read: %.200s\n", bytes);
	return isSame;
}

/* Each begins with the port configured and closed, and ends so. */

static void a_console_is_enumerated_as_one_port_of_its_own_name(void)
{
	uint8_t bytes[256];
	HOLDS(host_enumerates());
	HOLDS(host_describes(TUSB_DESC_DEVICE, 0, bytes, 18) == 18);
	HOLDS((bytes[9] << 8 | bytes[8]) == 0x303A);
	HOLDS(host_describes(TUSB_DESC_CONFIGURATION, 0, bytes, 9) == 9);
	const size_t whole = bytes[3] << 8 | bytes[2];
	HOLDS(bytes[4] == 2);
	HOLDS(host_describes(TUSB_DESC_CONFIGURATION, 0, bytes, sizeof(bytes)) == whole);
	HOLDS(host_describes(TUSB_DESC_STRING, 2, bytes, sizeof(bytes)) == 2 + 2 * strlen("SVC console"));
	HOLDS(bytes[2] == 'S' && bytes[4] == 'V' && bytes[6] == 'C');
	HOLDS(host_describes(TUSB_DESC_DEVICE_QUALIFIER, 0, bytes, 10) == 0);
	HOLDS(has_happened(""));
}

static void a_program_is_seen_by_its_DTR_alone(void)
{
	HOLDS(host_sets_speed(9600) && host_sets_speed(1200) && host_sends_break());
	HOLDS(host_sets_lines(false, true) && host_sets_lines(false, false));
	HOLDS(has_happened(""));
	HOLDS(host_sets_lines(true, false) && host_sets_lines(true, true) && host_sets_speed(1200) && host_sends_break());
	HOLDS(has_happened("<"));
	HOLDS(closes());
	HOLDS(has_happened(">"));
}

static void a_line_of_any_length_arrives_at_once(void)
{
	HOLDS(opens());
	HOLDS(has_happened("<"));
	for (size_t byteLength = 1; byteLength <= 1200; byteLength++) {
		char line[1201];
		memset(line, 'a' + byteLength % 26, byteLength - 1);
		line[byteLength - 1] = '\n';
		line[byteLength] = 0;
		HOLDS(sends(line), "%zu", byteLength);
		HOLDS(has_happened(line), "%zu", byteLength);
	}
	HOLDS(closes());
	HOLDS(has_happened(">"));
}

static void half_a_line_ends_with_its_program(void)
{
	for (size_t byteLength = 1; byteLength <= 200; byteLength++) {
		char half[201] = { 0 };
		memset(half, 'x', byteLength);
		HOLDS(opens());
		isMachineBusy = true;
		HOLDS(sends(half), "%zu", byteLength);
		HOLDS(closes() && opens() && sends("next\n"), "%zu", byteLength);
		isMachineBusy = false;
		turn();
		HOLDS(has_happened("<><next\n"), "%zu", byteLength);
		HOLDS(closes());
		HOLDS(has_happened(">"));
	}
}

static void what_a_program_has_not_read_ends_with_it(void)
{
	static const uint8_t answer[4096] = { 'o', 'l', 'd' };
	char bytes[8192];
	HOLDS(opens());
	HOLDS(usb_port_write(answer, sizeof(answer)) > 0);
	HOLDS(closes() && opens());
	/* One transfer was the controller's. It cannot be taken back, and is the first that the next program reads. */
	HOLDS(host_reads(bytes, sizeof(bytes)) <= PACKET_BYTES);
	HOLDS(writes("new\n") && host_has("new\n"));
	HOLDS(closes());
	HOLDS(has_happened("<><>"));
}

static void a_host_that_does_not_read_stops_the_console_and_loses_nothing(void)
{
	static uint8_t answer[100 * 1024], received[100 * 1024 + PACKET_BYTES];
	for (size_t index = 0; index < sizeof(answer); index++)
		answer[index] = index * 7 + index / 251;
	HOLDS(opens());
	toWrite = answer;
	toWriteLength = sizeof(answer);
	usb_port_want(true, true);
	posted = NULL;
	size_t before;
	do {
		before = toWriteLength;
		on_writable(NULL);
		tud_task();
	} while (toWriteLength < before);
	HOLDS(toWriteLength > sizeof(answer) - 8192);
	HOLDS(sends("lines still arrive\n"));
	size_t length = 0, more;
	while ((more = host_reads(received + length, sizeof(received) - length)) > 0)
		length += more;
	HOLDS(length == sizeof(answer), "%zu", length);
	HOLDS(memcmp(received, answer, sizeof(answer)) == 0);
	HOLDS(closes());
	HOLDS(has_happened("<lines still arrive\n>"));
}

static void a_console_that_does_not_read_stops_the_host_and_loses_nothing(void)
{
	static char line[KEPT_BYTES / 2 + 1], wanted[KEPT_BYTES];
	for (size_t index = 0; index < sizeof(line) - 1; index++)
		line[index] = 'A' + index % 53;
	HOLDS(opens());
	usb_port_want(false, false);
	const size_t sent = host_sends(line, sizeof(line) - 1);
	HOLDS(sent >= 1024 && sent <= 8192, "%zu", sent);
	usb_port_want(true, false);
	turn();
	size_t length = sent;
	while (length < sizeof(line) - 1) {
		const size_t more = host_sends(line + length, sizeof(line) - 1 - length);
		HOLDS(more > 0);
		if (more == 0)
			break;
		length += more;
	}
	HOLDS(closes());
	snprintf(wanted, sizeof(wanted), "<%s>", line);
	HOLDS(has_happened(wanted));
}

static void answers_of_any_length_reach_the_host(void)
{
	HOLDS(opens());
	for (size_t byteLength = 1; byteLength <= 1200; byteLength++) {
		char line[1201] = { 0 };
		memset(line, 'a' + byteLength % 26, byteLength);
		HOLDS(writes(line), "%zu", byteLength);
		HOLDS(host_has(line), "%zu", byteLength);
	}
	HOLDS(closes());
	HOLDS(has_happened("<>"));
}

static void a_sleeping_host_has_the_port_closed_until_it_wakes(void)
{
	HOLDS(opens());
	host_suspends();
	HOLDS(has_happened("<>"));
	HOLDS(usb_port_write((const uint8_t *)"lost", 4) == 0);
	host_resumes();
	HOLDS(has_happened("<"));
	HOLDS(sends("awake\n") && writes("yes\n") && host_has("yes\n"));
	HOLDS(has_happened("awake\n"));
	HOLDS(closes());
	host_suspends();
	host_resumes();
	HOLDS(has_happened(">"));
}

static void what_was_dropped_in_sleep_does_not_stop_the_host(void)
{
	static const char line[8192];
	HOLDS(opens());
	isMachineBusy = true;
	HOLDS(host_sends(line, sizeof(line)) < sizeof(line));
	host_suspends();
	host_resumes();
	HOLDS(sends("awake\n"));
	isMachineBusy = false;
	turn();
	HOLDS(has_happened("<><awake\n"));
	HOLDS(closes());
	HOLDS(has_happened(">"));
}

/* A chip that does not see the power of the cable sees its bus fall silent, and later begin anew. */
static void a_pulled_cable_closes_the_port_without_a_word(void)
{
	HOLDS(opens() && sends("half"));
	HOLDS(usb_port_write((const uint8_t *)"old", 3) == 3);
	host_suspends();
	HOLDS(has_happened("<half>"));
	HOLDS(host_enumerates());
	HOLDS(has_happened(""));
	HOLDS(opens() && sends("new\n"));
	HOLDS(has_happened("<new\n"));
	HOLDS(host_has(""));
	HOLDS(closes());
	HOLDS(has_happened(">"));
}

static void a_host_that_begins_anew_has_the_port_closed(void)
{
	HOLDS(opens());
	host_resets_bus();
	HOLDS(host_enumerates());
	HOLDS(has_happened("<>"));
	HOLDS(opens() && sends("new\n"));
	HOLDS(has_happened("<new\n"));
	HOLDS(host_unconfigures());
	HOLDS(has_happened(">"));
	HOLDS(host_enumerates() && opens());
	HOLDS(has_happened("<"));
	controller_sees_no_power();
	HOLDS(has_happened(">"));
	HOLDS(host_enumerates());
}

static void a_client_that_comes_later_gets_nothing_from_before(void)
{
	HOLDS(opens());
	usb_port_detach();
	HOLDS(sends("of before\n"));
	HOLDS(usb_port_attach(&CLIENT));
	turn();
	HOLDS(has_happened("<<"));
	HOLDS(sends("now\n"));
	HOLDS(has_happened("now\n"));
	HOLDS(closes());
	HOLDS(has_happened(">"));
}

int main(void)
{
	HOLDS(usb_port_attach(&CLIENT));
	turn();
	a_console_is_enumerated_as_one_port_of_its_own_name();
	a_program_is_seen_by_its_DTR_alone();
	a_line_of_any_length_arrives_at_once();
	half_a_line_ends_with_its_program();
	what_a_program_has_not_read_ends_with_it();
	answers_of_any_length_reach_the_host();
	a_host_that_does_not_read_stops_the_console_and_loses_nothing();
	a_console_that_does_not_read_stops_the_host_and_loses_nothing();
	a_sleeping_host_has_the_port_closed_until_it_wakes();
	what_was_dropped_in_sleep_does_not_stop_the_host();
	a_pulled_cable_closes_the_port_without_a_word();
	a_host_that_begins_anew_has_the_port_closed();
	a_client_that_comes_later_gets_nothing_from_before();
	return failures > 0;
}
