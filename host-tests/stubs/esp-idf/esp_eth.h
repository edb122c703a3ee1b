/* Stub, written for tests: what device/hosts/esp32 uses of esp_eth, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_ETH_H
#define STUB_ESP_ETH_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "esp_event.h"

extern esp_event_base_t const ETH_EVENT;
typedef enum {
	ETHERNET_EVENT_START, ETHERNET_EVENT_STOP, ETHERNET_EVENT_CONNECTED, ETHERNET_EVENT_DISCONNECTED,
} eth_event_t;

typedef void *esp_eth_handle_t;
typedef struct esp_eth_mac_s esp_eth_mac_t;
typedef struct esp_eth_phy_s esp_eth_phy_t;
typedef struct esp_eth_netif_glue_t *esp_eth_netif_glue_handle_t;

typedef struct { uint32_t sw_reset_timeout_ms, rx_task_stack_size, rx_task_prio, flags; } eth_mac_config_t;
#define ETH_MAC_DEFAULT_CONFIG() { .sw_reset_timeout_ms = 100 }

typedef struct {
	int32_t phy_addr;
	uint32_t reset_timeout_ms, autonego_timeout_ms;
	int reset_gpio_num;
} eth_phy_config_t;
#define ETH_PHY_DEFAULT_CONFIG() { .phy_addr = -1, .reset_gpio_num = 5 }

typedef enum { EMAC_CLK_EXT_IN, EMAC_CLK_OUT } emac_rmii_clock_mode_t;
typedef struct {
	struct { int mdc_num, mdio_num; } smi_gpio;
	struct { struct { emac_rmii_clock_mode_t clock_mode; int clock_gpio; } rmii; } clock_config;
} eth_esp32_emac_config_t;
#define ETH_ESP32_EMAC_DEFAULT_CONFIG() { .smi_gpio = { 23, 18 } }

typedef struct {
	esp_eth_mac_t *mac;
	esp_eth_phy_t *phy;
	uint32_t check_link_period_ms;
} esp_eth_config_t;
#define ETH_DEFAULT_CONFIG(emac, ephy) { .mac = emac, .phy = ephy, .check_link_period_ms = 2000 }

typedef enum { ETH_CMD_G_MAC_ADDR, ETH_CMD_S_MAC_ADDR } esp_eth_io_cmd_t;

esp_eth_mac_t *esp_eth_mac_new_esp32(const eth_esp32_emac_config_t *pins, const eth_mac_config_t *config);
esp_eth_mac_t *esp_eth_mac_new_openeth(const eth_mac_config_t *config);
esp_eth_phy_t *esp_eth_phy_new_generic(const eth_phy_config_t *config);
esp_err_t esp_eth_driver_install(const esp_eth_config_t *config, esp_eth_handle_t *handle);
esp_err_t esp_eth_ioctl(esp_eth_handle_t handle, esp_eth_io_cmd_t command, void *data);
esp_err_t esp_eth_start(esp_eth_handle_t handle);
esp_eth_netif_glue_handle_t esp_eth_new_netif_glue(esp_eth_handle_t handle);

#endif
