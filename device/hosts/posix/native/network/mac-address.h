/* The address burned into the board: the same at every start, made at the first. */
#ifndef SVC_MAC_ADDRESS_H
#define SVC_MAC_ADDRESS_H

/* From DIR/mac, made at random (locally administered) where that is missing. */
const char *mac_address(void);

#endif
