/*
 * The state of the wired network, from ESP-IDF's events.
 *
 *               link up              address
 *     DOWN ---------------> UP ---------------> JOINED
 *      ^                    ^                      |
 *      |                    '----------------------'
 *      |                          address lost     |
 *      '-------------------------------------------'
 *             link down, or stopped: from each state
 *
 * Both kinds of events are queued separately: an address may arrive after its link is down, and counts for nothing.
 */
#ifndef SVC_ETHERNET_LINK_H
#define SVC_ETHERNET_LINK_H

typedef enum { ETHERNET_DOWN, ETHERNET_UP, ETHERNET_JOINED } EthernetLink;

typedef enum {
	ETHERNET_LINK_UP,
	ETHERNET_LINK_DOWN,
	ETHERNET_HAS_ADDRESS,
	ETHERNET_HAS_LOST_ADDRESS,
} EthernetEvent;

EthernetLink ethernet_link_next(EthernetLink link, EthernetEvent event);

#endif
