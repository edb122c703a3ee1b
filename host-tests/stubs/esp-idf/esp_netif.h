/* Stub, written for tests: what device/hosts/esp32 uses of esp_netif, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_NETIF_H
#define STUB_ESP_NETIF_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "esp_event.h"

typedef struct esp_netif_obj esp_netif_t;
typedef struct { uint32_t addr; } esp_ip4_addr_t;
typedef struct { uint32_t addr[4]; uint8_t zone; } esp_ip6_addr_t;
typedef struct { esp_ip4_addr_t ip, netmask, gw; } esp_netif_ip_info_t;

extern esp_event_base_t const IP_EVENT;
enum { IP_EVENT_STA_GOT_IP, IP_EVENT_STA_LOST_IP, IP_EVENT_ETH_GOT_IP, IP_EVENT_ETH_LOST_IP };

#define IPV6STR "%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x"
#define STUB_IPV6_BLOCK(address, word, shift) ((unsigned int)((address).addr[word] >> (shift) & 0xFFFF))
#define IPV62STR(address) \
	STUB_IPV6_BLOCK(address, 0, 16), STUB_IPV6_BLOCK(address, 0, 0), STUB_IPV6_BLOCK(address, 1, 16), \
	STUB_IPV6_BLOCK(address, 1, 0), STUB_IPV6_BLOCK(address, 2, 16), STUB_IPV6_BLOCK(address, 2, 0), \
	STUB_IPV6_BLOCK(address, 3, 16), STUB_IPV6_BLOCK(address, 3, 0)

typedef struct { int route_prio; } esp_netif_inherent_config_t;
typedef struct {
	const esp_netif_inherent_config_t *base;
	const void *driver, *stack;
} esp_netif_config_t;
#define ESP_NETIF_INHERENT_DEFAULT_ETH() { .route_prio = 50 }
#define ESP_NETIF_NETSTACK_DEFAULT_ETH NULL

typedef struct {
	union { esp_ip6_addr_t ip6; esp_ip4_addr_t ip4; } u_addr;
	uint8_t type;
} esp_ip_addr_t;
enum { ESP_IPADDR_TYPE_V4 = 0 };
typedef struct { esp_ip_addr_t ip; } esp_netif_dns_info_t;
typedef enum { ESP_NETIF_DNS_MAIN } esp_netif_dns_type_t;
typedef enum { ESP_NETIF_OP_START, ESP_NETIF_OP_SET } esp_netif_dhcp_option_mode_t;
typedef enum { ESP_NETIF_DOMAIN_NAME_SERVER = 6 } esp_netif_dhcp_option_id_t;

esp_netif_t *esp_netif_new(const esp_netif_config_t *config);
esp_err_t esp_netif_attach(esp_netif_t *netif, void *driver);
esp_err_t esp_netif_init(void);
esp_netif_t *esp_netif_create_default_wifi_sta(void);
esp_netif_t *esp_netif_create_default_wifi_ap(void);
void esp_netif_destroy_default_wifi(void *netif);
esp_err_t esp_netif_dhcps_start(esp_netif_t *netif);
esp_err_t esp_netif_dhcps_stop(esp_netif_t *netif);
esp_err_t esp_netif_dhcps_option(esp_netif_t *netif, esp_netif_dhcp_option_mode_t operation,
	esp_netif_dhcp_option_id_t option, void *value, uint32_t length);
esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, esp_netif_dns_type_t type, esp_netif_dns_info_t *dns);
esp_err_t esp_netif_get_ip_info(esp_netif_t *netif, esp_netif_ip_info_t *info);
esp_err_t esp_netif_create_ip6_linklocal(esp_netif_t *netif);
esp_err_t esp_netif_get_ip6_global(esp_netif_t *netif, esp_ip6_addr_t *address);
int esp_netif_get_all_ip6(esp_netif_t *netif, esp_ip6_addr_t addresses[]);
esp_netif_t *esp_netif_next_unsafe(esp_netif_t *netif);
int esp_netif_get_netif_impl_index(esp_netif_t *netif);
esp_err_t esp_netif_str_to_ip4(const char *text, esp_ip4_addr_t *address);
esp_err_t esp_netif_str_to_ip6(const char *text, esp_ip6_addr_t *address);
char *esp_ip4addr_ntoa(const esp_ip4_addr_t *address, char *buffer, int length);

#endif
