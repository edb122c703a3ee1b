/* svc/wifi (device/ports/wifi.ts): the radio as the program uses it. There is one, whose state is here. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "utf8.h"
#include "wifi-driver.h"
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

static void notify_changed(void)
{
	machine_call(&opened->self, &opened->onChanged);
}

static void move(int connection, const char *failure)
{
	opened->connection = connection;
	opened->failure = failure;
	notify_changed();
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

static void report_found(const wifi_ap_record_t *found)
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

static void release_scan(Wifi *wifi)
{
	wifi->isScanning = false;
	machine_release(machine, &wifi->onFound);
	machine_release(machine, &wifi->onComplete);
}

/* A callback may close the radio; the driver's list of results must be freed anyway. */
static void report_scanned(Wifi *wifi)
{
	wifi_ap_record_t found;
	while (opened == wifi && wifi->isScanning && esp_wifi_scan_get_ap_record(&found) == ESP_OK)
		report_found(&found);
	(void)esp_wifi_clear_ap_list();
	if (opened != wifi || !wifi->isScanning)
		return;
	xsSlot onComplete = wifi->onComplete;
	release_scan(wifi);
	machine_call(&wifi->self, &onComplete);
}

static void report_disconnected(Wifi *wifi, int reason)
{
	bool wasJoined = wifi->connection == JOINED || wifi->connection == JOINED_WITHOUT_ADDRESS;
	if (wifi->connection != DISCONNECTED)
		move(DISCONNECTED, wifi_failure(reason, wasJoined));
}

static void on_event(WifiEvent event)
{
	Wifi *wifi = opened;
	if (!wifi)
		return;
	if (event.kind == WIFI_HAS_SCANNED && wifi->isScanning)
		report_scanned(wifi);
	else if (event.kind == WIFI_IS_DISCONNECTED)
		report_disconnected(wifi, event.reason);
	else if (event.kind == WIFI_IS_CONNECTED && wifi->connection == CONNECTING)
		move(JOINED_WITHOUT_ADDRESS, NULL);
	else if (event.kind == WIFI_HAS_ADDRESS && wifi->connection != DISCONNECTED)
		move(JOINED, NULL);
	else if (event.kind == WIFI_HAS_LOST_ADDRESS && wifi->connection == JOINED)
		move(JOINED_WITHOUT_ADDRESS, NULL);
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
	Wifi *wifi = wifi_driver_start(on_event) ? calloc(1, sizeof(Wifi)) : NULL;
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

/* Copies text to a driver's field, which has no terminating zero if it is full. Throws if the text does not fit. */
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
	wifi->failure = NULL;
	if (!wifi_driver_join(&network))
		xsUnknownError("cannot join the network");
	wifi->connection = CONNECTING;
}

static void leave(Wifi *wifi)
{
	wifi->connection = DISCONNECTED;
	wifi->failure = NULL;
	wifi_driver_leave();
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
		xsUnknownError("cannot scan");
	wifi->isScanning = true;
	machine_keep(the, &wifi->onFound, xsArg(0));
	machine_keep(the, &wifi->onComplete, xsArg(1));
}

void xs_wifi_close(xsMachine *the)
{
	Wifi *wifi = machine_detach(the, xs_wifi_destructor);
	if (!wifi)
		return;
	if (wifi->isScanning) {
		(void)esp_wifi_scan_stop();
		release_scan(wifi);
	}
	leave(wifi);
	wifi_driver_stop();
	machine_release(the, &wifi->onChanged);
	machine_release(the, &wifi->self);
	xs_wifi_destructor(wifi);
}
