/* The network interface of the radio. */
#ifndef SVC_BOARD_NETWORK_H
#define SVC_BOARD_NETWORK_H

#include "esp_netif.h"

/* Starts TCP/IP and the interface, without a network: from now on sockets can be opened. */
void board_network_start(void);

/* NULL before board_network_start. */
esp_netif_t *board_network_interface(void);

#endif
