/* Numbers of network interfaces, as datagrams have them that say where they came in. */
#ifndef SVC_INTERFACE_INDEX_H
#define SVC_INTERFACE_INDEX_H

#include <netinet/in.h>

/*
 * @param fd any socket
 * @returns 0 if no interface has the address
 */
int interface_index_of(int fd, struct in_addr address);

#endif
