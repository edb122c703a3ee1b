/* The network that the console has joined: one interface of the host. */
#ifndef SVC_NETWORK_H
#define SVC_NETWORK_H

#include <net/if.h>
#include <netinet/in.h>

typedef struct {
	char name[IF_NAMESIZE];			/* "" if there is no interface */
	unsigned int index;
	char address[INET_ADDRSTRLEN];
	char addressIpv6[INET6_ADDRSTRLEN];		/* global or unique local, else "" */
	int rssi;						/* dBm, 0 for a wired network */
} NetworkFacts;

/* Queried at each call: interfaces come and go. */
NetworkFacts network_facts(void);

#endif
