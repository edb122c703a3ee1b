/*
 * svc/wifi (device/ports/wifi.ts): the radio. There is one, and its state is here. Everything that it tells comes on
 * the task of ESP-IDF's events and is posted to the machine's, where all of this file but the handlers runs.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "board-network.h"
#include "bootloader_random.h"
#include "esp_event.h"
#include "esp_wifi.h"
#include "event-loop.h"
#include "machine.h"
#include "utf8.h"
#include "wifi-failure.h"

/* ECMA-419's numbers. */
enum { DISCONNECTED = 200, CONNECTING = 300, JOINED_WITHOUT_ADDRESS = 400, JOINED = 500 };

typedef struct {
	int connection;
	const char *failure;
	bool isScanning;
	xsSlot self;
	xsSlot onChanged;
	xsSlot onFound, onComplete;		/* while scanning */
} Wifi;

static Wifi *opened;		/* there is one at a time */
static _Atomic unsigned int attempt;	/* what comes of an earlier one is nobody's any more */

typedef struct {
	enum { IS_CONNECTED, IS_DISCONNECTED, HAS_ADDRESS, HAS_LOST_ADDRESS, HAS_SCANNED } kind;
	int reason;
	unsigned int attempt;
} Event;

static void tell_changed(void)
{
	machine_call(&opened->self, &opened->onChanged);
}

static void move(int connection, const char *failure)
{
	opened->connection = connection;
	opened->failure = failure;
	tell_changed();
}

static void set_property(xsMachine *the, const char *name, int value)
{
	xsmcSetInteger(xsVar(1), value);
	xsmcSet(xsVar(0), xsID(name), xsVar(1));
}

static void set_text(xsMachine *the, const char *name, const char *text)
{
	xsmcSetString(xsVar(1), (char *)text);
	xsmcSet(xsVar(0), xsID(name), xsVar(1));
}

static void tell_found(const wifi_ap_record_t *found)
{
	const char *ssid = (const char *)found->ssid;
	const size_t length = strnlen(ssid, sizeof(found->ssid));
	if (utf8_well_formed_run(found->ssid, found->ssid + length) != length)
		return;
	xsBeginHost(machine);
	xsmcVars(2);
	xsmcSetNewObject(xsVar(0));
	set_text(the, "SSID", ssid);
	set_property(the, "RSSI", found->rssi);
	set_property(the, "channel", found->primary);
	set_text(the, "security", found->authmode == WIFI_AUTH_OPEN ? "none" : "wpa");
	(void)xsCallFunction1(opened->onFound, opened->self, xsVar(0));
	xsEndHost(machine);
	machine_end_turn();
}

static void forget_scan(Wifi *wifi)
{
	wifi->isScanning = false;
	machine_release(machine, &wifi->onFound);
	machine_release(machine, &wifi->onComplete);
}

/* A callback may close the radio; the driver's list of what was found is to be given back all the same. */
static void tell_scanned(Wifi *wifi)
{
	wifi_ap_record_t found;
	while (opened == wifi && wifi->isScanning && esp_wifi_scan_get_ap_record(&found) == ESP_OK)
		tell_found(&found);
	(void)esp_wifi_clear_ap_list();
	if (opened != wifi || !wifi->isScanning)
		return;
	xsSlot onComplete = wifi->onComplete;
	forget_scan(wifi);
	machine_call(&wifi->self, &onComplete);
}

static void tell_disconnected(Wifi *wifi, int reason)
{
	bool wasJoined = wifi->connection == JOINED || wifi->connection == JOINED_WITHOUT_ADDRESS;
	if (wifi->connection != DISCONNECTED)
		move(DISCONNECTED, wifi_failure(reason, wasJoined));
}

/* On the machine's task. */
static void deliver(void *context)
{
	const Event event = *(Event *)context;
	Wifi *wifi = opened;
	free(context);
	if (!wifi)
		return;
	if (event.kind == HAS_SCANNED && wifi->isScanning)
		tell_scanned(wifi);
	else if (event.kind == HAS_SCANNED || event.attempt != attempt)
		return;
	else if (event.kind == IS_DISCONNECTED)
		tell_disconnected(wifi, event.reason);
	else if (event.kind == IS_CONNECTED && wifi->connection == CONNECTING)
		move(JOINED_WITHOUT_ADDRESS, NULL);
	else if (event.kind == HAS_ADDRESS && wifi->connection != DISCONNECTED)
		move(JOINED, NULL);
	else if (event.kind == HAS_LOST_ADDRESS && wifi->connection == JOINED)
		move(JOINED_WITHOUT_ADDRESS, NULL);
}

static void post(int kind, int reason)
{
	Event *event = malloc(sizeof(Event));
	if (!event)
		abort();
	*event = (Event){ kind, reason, attempt };
	event_loop_post(deliver, event);
}

/* Both on the task of the events. */
static void on_wifi_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base;
	if (id == WIFI_EVENT_SCAN_DONE)
		post(HAS_SCANNED, 0);
	if (id == WIFI_EVENT_STA_CONNECTED) {
		(void)esp_netif_create_ip6_linklocal(board_network_interface());
		post(IS_CONNECTED, 0);
	}
	if (id == WIFI_EVENT_STA_DISCONNECTED) {
		const int reason = ((wifi_event_sta_disconnected_t *)data)->reason;
		if (reason != WIFI_REASON_ASSOC_LEAVE)		// it was we who left
			post(IS_DISCONNECTED, reason);
	}
}

static void on_ip_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base, (void)data;
	if (id == IP_EVENT_STA_GOT_IP)
		post(HAS_ADDRESS, 0);
	if (id == IP_EVENT_STA_LOST_IP)
		post(HAS_LOST_ADDRESS, 0);
}

/* Once; the driver stays from then on. Its own memory of networks is off: credentials are the service's. */
static bool start_driver(void)
{
	static bool isStarted;
	wifi_init_config_t options = WIFI_INIT_CONFIG_DEFAULT();
	options.nvs_enable = 0;
	if (!isStarted)
		isStarted = esp_wifi_init(&options) == ESP_OK && esp_wifi_set_storage(WIFI_STORAGE_RAM) == ESP_OK
			&& esp_wifi_set_mode(WIFI_MODE_STA) == ESP_OK
			&& esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_wifi_event, NULL) == ESP_OK
			&& esp_event_handler_register(IP_EVENT, ESP_EVENT_ANY_ID, on_ip_event, NULL) == ESP_OK;
	bootloader_random_disable();		// the radio brings noise of its own, and needs what this one uses
	return isStarted && esp_wifi_start() == ESP_OK;
}

void xs_wifi_destructor(void *data)
{
	if (opened == data)
		opened = NULL;
	free(data);
}

static Wifi *wifi_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_wifi_destructor);
}

/* constructor({ onChanged }) */
void xs_wifi_constructor(xsMachine *the)
{
	xsmcVars(1);
	xsVar(0) = machine_get_callback(the, &xsArg(0), "onChanged");
	if (opened)
		xsUnknownError("the radio is on already");
	Wifi *wifi = start_driver() ? calloc(1, sizeof(Wifi)) : NULL;
	if (!wifi)
		xsUnknownError("the radio cannot be switched on");
	wifi->connection = DISCONNECTED;
	opened = wifi;
	xsmcSetHostData(xsThis, wifi);
	machine_keep(the, &wifi->self, xsThis);
	machine_keep(the, &wifi->onChanged, xsVar(0));
}

void xs_wifi_connection(xsMachine *the)
{
	xsmcSetInteger(xsResult, wifi_of(the)->connection);
}

void xs_wifi_failure(xsMachine *the)
{
	const char *failure = wifi_of(the)->failure;
	if (failure)
		xsmcSetString(xsResult, (char *)failure);
}

/* Into a field of the driver's, which has no zero at its end where it is full. Throws where it does not fit. */
static void copy_text(xsMachine *the, xsSlot value, uint8_t *field, size_t room)
{
	const char *text = xsmcToString(value);
	const size_t length = strlen(text);
	if (length > room)
		xsRangeError("more than %d bytes", (int)room);
	memcpy(field, text, length);
}

/* connect(ssid, password?) */
void xs_wifi_connect(xsMachine *the)
{
	wifi_config_t network = { 0 };
	copy_text(the, xsArg(0), network.sta.ssid, sizeof(network.sta.ssid));
	if (xsmcTest(xsArg(1)))
		copy_text(the, xsArg(1), network.sta.password, sizeof(network.sta.password));
	network.sta.scan_method = WIFI_ALL_CHANNEL_SCAN;		// the strongest of several access points
	Wifi *wifi = wifi_of(the);
	if (wifi->isScanning || wifi->connection != DISCONNECTED)
		xsUnknownError("the radio is busy");
	attempt++;
	wifi->failure = NULL;
	if (esp_wifi_set_config(WIFI_IF_STA, &network) != ESP_OK || esp_wifi_connect() != ESP_OK)
		xsUnknownError("the radio does not join");
	wifi->connection = CONNECTING;
}

static void leave(Wifi *wifi)
{
	attempt++;
	wifi->connection = DISCONNECTED;
	wifi->failure = NULL;
	(void)esp_wifi_disconnect();
}

void xs_wifi_disconnect(xsMachine *the)
{
	leave(wifi_of(the));
}

/* scan(onFound, onComplete) */
void xs_wifi_scan(xsMachine *the)
{
	const wifi_scan_config_t options = { .scan_type = WIFI_SCAN_TYPE_ACTIVE };
	Wifi *wifi = wifi_of(the);
	if (wifi->isScanning || wifi->connection == CONNECTING)
		xsUnknownError("the radio is busy");
	if (esp_wifi_scan_start(&options, false) != ESP_OK)
		xsUnknownError("the radio does not scan");
	wifi->isScanning = true;
	machine_keep(the, &wifi->onFound, xsArg(0));
	machine_keep(the, &wifi->onComplete, xsArg(1));
}

/* close(): may be called again, and does nothing then (ECMA-419 §8). */
void xs_wifi_close(xsMachine *the)
{
	Wifi *wifi = xsmcGetHostData(xsThis);
	if (!wifi)
		return;
	if (wifi->isScanning) {
		(void)esp_wifi_scan_stop();
		forget_scan(wifi);
	}
	leave(wifi);
	(void)esp_wifi_stop();
	bootloader_random_enable();
	machine_release(the, &wifi->onChanged);
	machine_release(the, &wifi->self);
	xsmcSetHostData(xsThis, NULL);
	xsmcSetHostDestructor(xsThis, NULL);
	xs_wifi_destructor(wifi);
}
