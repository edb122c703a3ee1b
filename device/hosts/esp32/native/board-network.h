/* The network interface of the radio. */
#ifndef SVC_BOARD_NETWORK_H
#define SVC_BOARD_NETWORK_H

#include "esp_netif.h"

/* TCP/IP, and the interface, without a network: sockets can be opened from here on. */
void board_network_start(void);

/* NULL before that. */
esp_netif_t *board_network_interface(void);

#endif
