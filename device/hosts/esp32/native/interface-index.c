/* Asks each of ESP-IDF's interfaces for its address (interface-index.h). */
#include "interface-index.h"

#include "esp_netif.h"

int interface_index_of(int fd, struct in_addr address)
{
	(void)fd;
	for (esp_netif_t *interface = esp_netif_next_unsafe(NULL); interface; interface = esp_netif_next_unsafe(interface)) {
		esp_netif_ip_info_t info;
		if (esp_netif_get_ip_info(interface, &info) == ESP_OK && info.ip.addr == address.s_addr)
			return esp_netif_get_netif_impl_index(interface);
	}
	return 0;
}
