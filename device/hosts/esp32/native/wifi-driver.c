/*
 * ESP-IDF reports every disconnection with a reason, and one reason is that a station has left: this console, or an
 * access point that is switched off. A disconnection that we requested is reported once, before the next network is
 * joined, or not at all if there was no network yet.
 */
#include "wifi-driver.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "board-network.h"
#include "bootloader_random.h"
#include "esp_event.h"
#include "event-loop.h"

static void (*onEvent)(WifiEvent event);

static _Atomic unsigned int attempt;	/* to join a network */
static _Atomic bool isAtWork;			/* joining or joined: a disconnection will be reported */
static _Atomic bool isLeaving;			/* the next disconnection may be ours */

typedef struct {
	WifiEvent event;
	unsigned int attempt;
} Posted;

/* On the machine's task. */
static void deliver(void *context)
{
	const Posted posted = *(Posted *)context;
	free(context);
	if (posted.event.kind == WIFI_HAS_SCANNED || posted.attempt == attempt)
		onEvent(posted.event);
}

static void post(int kind, int reason)
{
	Posted *posted = malloc(sizeof(Posted));
	if (!posted)
		abort();
	*posted = (Posted){ { kind, reason }, attempt };
	event_loop_post(deliver, posted);
}

static void disconnected(int reason)
{
	if (atomic_exchange(&isLeaving, false) && reason == WIFI_REASON_ASSOC_LEAVE)
		return;
	isAtWork = false;
	post(WIFI_IS_DISCONNECTED, reason);
}

/* Both run on the event task. */
static void on_wifi_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base;
	if (id == WIFI_EVENT_SCAN_DONE)
		post(WIFI_HAS_SCANNED, 0);
	if (id == WIFI_EVENT_STA_CONNECTED) {
		isLeaving = false;
		(void)esp_netif_create_ip6_linklocal(board_network_interface());
		post(WIFI_IS_CONNECTED, 0);
	}
	if (id == WIFI_EVENT_STA_DISCONNECTED)
		disconnected(((wifi_event_sta_disconnected_t *)data)->reason);
}

static void on_ip_event(void *context, esp_event_base_t base, int32_t id, void *data)
{
	(void)context, (void)base, (void)data;
	if (id == IP_EVENT_STA_GOT_IP)
		post(WIFI_HAS_ADDRESS, 0);
	if (id == IP_EVENT_STA_LOST_IP)
		post(WIFI_HAS_LOST_ADDRESS, 0);
}

/* Once; the driver stays installed. Its own storage of networks is off: the service stores credentials. */
static bool install(void)
{
	wifi_init_config_t options = WIFI_INIT_CONFIG_DEFAULT();
	options.nvs_enable = 0;
	return esp_wifi_init(&options) == ESP_OK && esp_wifi_set_storage(WIFI_STORAGE_RAM) == ESP_OK
		&& esp_wifi_set_mode(WIFI_MODE_STA) == ESP_OK
		&& esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_wifi_event, NULL) == ESP_OK
		&& esp_event_handler_register(IP_EVENT, ESP_EVENT_ANY_ID, on_ip_event, NULL) == ESP_OK;
}

bool wifi_driver_start(void (*listener)(WifiEvent event))
{
	static bool isInstalled;
	onEvent = listener;
#ifdef MODDEF_RADIO_ABSENT
	return true;		// in an emulator; ESP-IDF refuses whatever is asked of a radio that was not installed
#endif
	if (!isInstalled)
		isInstalled = install();
	bootloader_random_disable();		// the radio is a noise source itself, and needs the hardware that this one uses
	return isInstalled && esp_wifi_start() == ESP_OK;
}

void wifi_driver_stop(void)
{
	(void)esp_wifi_stop();
	bootloader_random_enable();
}

bool wifi_driver_join(wifi_config_t *network)
{
	attempt++;
	isAtWork = true;
	if (esp_wifi_set_config(WIFI_IF_STA, network) == ESP_OK && esp_wifi_connect() == ESP_OK)
		return true;
	isAtWork = false;
	return false;
}

void wifi_driver_leave(void)
{
	attempt++;
	if (atomic_exchange(&isAtWork, false))
		isLeaving = true;
	(void)esp_wifi_disconnect();
}
