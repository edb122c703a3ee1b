/* The state of the wired network (ethernet-link.h). */
#include "ethernet-link.h"

EthernetLink ethernet_link_next(EthernetLink link, EthernetEvent event)
{
	switch (event) {
	case ETHERNET_LINK_UP:
		return link == ETHERNET_DOWN ? ETHERNET_UP : link;
	case ETHERNET_LINK_DOWN:
		return ETHERNET_DOWN;
	case ETHERNET_HAS_ADDRESS:
		return link == ETHERNET_DOWN ? link : ETHERNET_JOINED;
	case ETHERNET_HAS_LOST_ADDRESS:
		return link == ETHERNET_JOINED ? ETHERNET_UP : link;
	}
	return link;
}
