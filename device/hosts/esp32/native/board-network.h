/* The network interfaces: the radio's, and a wired one where it is built in. */
#ifndef SVC_BOARD_NETWORK_H
#define SVC_BOARD_NETWORK_H

#include "esp_netif.h"

/* Starts TCP/IP and the interface, without a network: from now on sockets can be opened. */
void board_network_start(void);

/* The radio's; NULL before board_network_start. */
esp_netif_t *board_network_interface(void);

/*
 * The wired network has an address on this interface, or, if NULL, no longer. May be called on any task; the program
 * looks at the network every two seconds.
 */
void board_network_set_wired(esp_netif_t *interface);

#endif
