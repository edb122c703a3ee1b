/* The network that the console has joined: one interface of the host. */
#ifndef SVC_NETWORK_H
#define SVC_NETWORK_H

#include <net/if.h>
#include <netinet/in.h>

typedef struct {
	char name[IF_NAMESIZE];			/* "" where there is no interface at all */
	unsigned int index;
	char address[INET_ADDRSTRLEN];
	char addressIpv6[INET6_ADDRSTRLEN];		/* global or unique local, else "" */
	int rssi;						/* dBm, 0 on a wire */
} NetworkFacts;

/* Asked anew each time: interfaces come and go. */
NetworkFacts network_facts(void);

#endif
