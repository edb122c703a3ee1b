/*
 * Ethernet, an option of the build: a wired network beside the radio's, whose address comes from DHCP. With its C the
 * manifest of the option (boards/) adds defines to the board's.
 */
#ifndef SVC_BOARD_ETHERNET_H
#define SVC_BOARD_ETHERNET_H

/* Call it once, after board_network_start. If the chip does not answer, the console runs without it. */
void board_ethernet_start(void);

#endif
