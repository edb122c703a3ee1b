/* Stub, written for tests: what device/hosts/esp32 uses of esp_wifi, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_WIFI_H
#define STUB_ESP_WIFI_H

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"
#include "esp_event.h"

extern esp_event_base_t const WIFI_EVENT;
enum { WIFI_EVENT_SCAN_DONE = 1, WIFI_EVENT_STA_CONNECTED = 4, WIFI_EVENT_STA_DISCONNECTED = 5 };
enum { WIFI_EVENT_AP_STACONNECTED = 14, WIFI_EVENT_AP_STADISCONNECTED = 15 };

typedef enum {
	WIFI_REASON_ASSOC_LEAVE = 8,
	WIFI_REASON_MIC_FAILURE = 14,
	WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15,
	WIFI_REASON_NO_AP_FOUND = 201,
	WIFI_REASON_AUTH_FAIL = 202,
	WIFI_REASON_HANDSHAKE_TIMEOUT = 204,
	WIFI_REASON_NO_AP_FOUND_W_COMPATIBLE_SECURITY = 210,
	WIFI_REASON_NO_AP_FOUND_IN_AUTHMODE_THRESHOLD = 211,
	WIFI_REASON_NO_AP_FOUND_IN_RSSI_THRESHOLD = 212,
} wifi_err_reason_t;

typedef struct { uint8_t ssid[32], ssid_len, bssid[6], reason; } wifi_event_sta_disconnected_t;

typedef enum { WIFI_AUTH_OPEN = 0, WIFI_AUTH_WPA2_PSK = 3 } wifi_auth_mode_t;
typedef enum { WIFI_MODE_STA = 1, WIFI_MODE_APSTA = 3 } wifi_mode_t;
typedef enum { WIFI_STORAGE_RAM = 1 } wifi_storage_t;
typedef enum { WIFI_IF_STA, WIFI_IF_AP } wifi_interface_t;
typedef enum { WIFI_SCAN_TYPE_ACTIVE } wifi_scan_type_t;
typedef enum { WIFI_FAST_SCAN, WIFI_ALL_CHANNEL_SCAN } wifi_scan_method_t;

typedef struct { uint8_t bssid[6], ssid[33], primary; int8_t rssi; wifi_auth_mode_t authmode; } wifi_ap_record_t;
typedef struct { uint8_t *ssid, *bssid; uint8_t channel; bool show_hidden; wifi_scan_type_t scan_type; } wifi_scan_config_t;
typedef union {
	struct { uint8_t ssid[32], password[64]; wifi_scan_method_t scan_method; } sta;
	struct {
		uint8_t ssid[32], password[64], ssid_len, channel;
		wifi_auth_mode_t authmode;
		uint8_t ssid_hidden, max_connection;
	} ap;
} wifi_config_t;
typedef struct { int num; } wifi_sta_list_t;
typedef struct { int nvs_enable; } wifi_init_config_t;
#define WIFI_INIT_CONFIG_DEFAULT() { .nvs_enable = 1 }

esp_err_t esp_wifi_init(const wifi_init_config_t *config);
esp_err_t esp_wifi_set_storage(wifi_storage_t storage);
esp_err_t esp_wifi_set_mode(wifi_mode_t mode);
esp_err_t esp_wifi_get_mode(wifi_mode_t *mode);
esp_err_t esp_wifi_start(void);
esp_err_t esp_wifi_stop(void);
esp_err_t esp_wifi_set_config(wifi_interface_t interface, wifi_config_t *config);
esp_err_t esp_wifi_connect(void);
esp_err_t esp_wifi_disconnect(void);
esp_err_t esp_wifi_scan_start(const wifi_scan_config_t *config, bool block);
esp_err_t esp_wifi_scan_stop(void);
esp_err_t esp_wifi_scan_get_ap_record(wifi_ap_record_t *record);
esp_err_t esp_wifi_clear_ap_list(void);
esp_err_t esp_wifi_sta_get_ap_info(wifi_ap_record_t *record);
esp_err_t esp_wifi_deauth_sta(uint16_t aid);
esp_err_t esp_wifi_ap_get_sta_list(wifi_sta_list_t *sta);

#endif
