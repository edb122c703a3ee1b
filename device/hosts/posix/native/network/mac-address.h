/* The MAC address of the board: created at random by the first start, the same ever after. */
#ifndef SVC_MAC_ADDRESS_H
#define SVC_MAC_ADDRESS_H

/* Reads DIR/mac, or creates a random, locally administered address. */
const char *mac_address(void);

#endif
