/*
 * What the radio's driver tells of disconnections, with ESP-IDF's events as the network brings them about. Prints what
 * does not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board-network.h"
#include "bootloader_random.h"
#include "esp_event.h"
#include "event-loop.h"
#include "wifi-driver.h"

enum { NONE = -1, DEAUTHENTICATED = 2 };

esp_event_base_t const WIFI_EVENT = "wifi", IP_EVENT = "ip";

static esp_event_handler_t onWifiEvent;
static int told;			/* the reason of the disconnection that was told, NONE so far */

static struct {
	void (*callback)(void *context);
	void *context;
} posts[8];
static int postCount;

void event_loop_post(void (*callback)(void *context), void *context)
{
	if (postCount == sizeof(posts) / sizeof(posts[0]))
		abort();
	posts[postCount].callback = callback;
	posts[postCount++].context = context;
}

static void turn(void)
{
	for (int index = 0; index < postCount; index++)
		posts[index].callback(posts[index].context);
	postCount = 0;
}

esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *arg)
{
	(void)id, (void)arg;
	if (strcmp(base, WIFI_EVENT) == 0)
		onWifiEvent = handler;
	return ESP_OK;
}

esp_err_t esp_wifi_init(const wifi_init_config_t *config) { (void)config; return ESP_OK; }
esp_err_t esp_wifi_set_storage(wifi_storage_t storage) { (void)storage; return ESP_OK; }
esp_err_t esp_wifi_set_mode(wifi_mode_t mode) { (void)mode; return ESP_OK; }
esp_err_t esp_wifi_start(void) { return ESP_OK; }
esp_err_t esp_wifi_stop(void) { return ESP_OK; }
esp_err_t esp_wifi_connect(void) { return ESP_OK; }
esp_err_t esp_wifi_disconnect(void) { return ESP_OK; }
esp_err_t esp_netif_create_ip6_linklocal(esp_netif_t *netif) { (void)netif; return ESP_OK; }
esp_netif_t *board_network_interface(void) { return NULL; }
void bootloader_random_enable(void) {}
void bootloader_random_disable(void) {}

esp_err_t esp_wifi_set_config(wifi_interface_t interface, wifi_config_t *config)
{
	(void)interface, (void)config;
	return ESP_OK;
}

static void on_event(WifiEvent event)
{
	if (event.kind == WIFI_IS_DISCONNECTED)
		told = event.reason;
}

/* The steps of a story: what the program does, what happens, and a turn of the machine's loop. */
typedef enum { END, JOIN, LEAVE, TURN, JOINED, LEFT, DROPPED } Step;

static void take(Step step)
{
	wifi_config_t network = { 0 };
	wifi_event_sta_disconnected_t event = { .reason = step == LEFT ? WIFI_REASON_ASSOC_LEAVE : DEAUTHENTICATED };
	switch (step) {
	case END: break;
	case JOIN: (void)wifi_driver_join(&network); break;
	case LEAVE: wifi_driver_leave(); break;
	case TURN: turn(); break;
	case JOINED: onWifiEvent(NULL, WIFI_EVENT, WIFI_EVENT_STA_CONNECTED, NULL); break;
	case LEFT:
	case DROPPED: onWifiEvent(NULL, WIFI_EVENT, WIFI_EVENT_STA_DISCONNECTED, &event); break;
	}
}

static const struct {
	const char *name;
	Step steps[8];
	int told;
} STORIES[] = {
	{ "the network drops us", { JOIN, JOINED, DROPPED }, DEAUTHENTICATED },
	{ "an access point that leaves is not us", { JOIN, JOINED, LEFT }, WIFI_REASON_ASSOC_LEAVE },
	{ "we leave", { JOIN, JOINED, LEAVE, LEFT }, NONE },
	{ "we leave and join another", { JOIN, JOINED, LEAVE, JOIN, LEFT, JOINED }, NONE },
	{ "the other one leaves us", { JOIN, JOINED, LEAVE, JOIN, LEFT, JOINED, LEFT }, WIFI_REASON_ASSOC_LEAVE },
	{ "the network drops us as we leave", { JOIN, JOINED, LEAVE, DROPPED, JOIN, TURN }, NONE },
	{ "we leave what has dropped us, before we know", { JOIN, JOINED, DROPPED, LEAVE, TURN, JOIN, LEFT },
		WIFI_REASON_ASSOC_LEAVE },
	{ "we leave before we have joined, and nothing is told", { JOIN, LEAVE, JOIN, JOINED, LEFT },
		WIFI_REASON_ASSOC_LEAVE },
	{ "and the next one cannot be joined", { JOIN, LEAVE, JOIN, DROPPED }, DEAUTHENTICATED },
	{ "we leave twice", { JOIN, JOINED, LEAVE, LEFT, LEAVE, JOIN, LEFT }, WIFI_REASON_ASSOC_LEAVE },
};

int main(void)
{
	int failures = 0;
	(void)wifi_driver_start(on_event);
	for (size_t index = 0; index < sizeof(STORIES) / sizeof(STORIES[0]); index++) {
		told = NONE;
		for (const Step *step = STORIES[index].steps; *step; step++)
			take(*step);
		turn();
		if (told != STORIES[index].told)
			printf("%s: %d\n", STORIES[index].name, told), failures++;
		take(LEAVE);
		take(LEFT);
		turn();
	}
	return failures > 0;
}
