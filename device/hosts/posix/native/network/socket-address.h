/* Conversion between textual addresses and sockaddr. IPv4-mapped IPv6 addresses are shown as IPv4. */
#ifndef SVC_SOCKET_ADDRESS_H
#define SVC_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

typedef struct {
	struct sockaddr_storage storage;
	socklen_t length;
} SocketAddress;

typedef struct {
	char address[INET6_ADDRSTRLEN];
	int port;
} TextAddress;

/*
 * Parses numeric IPv4 or IPv6, or `localhost`.
 * @returns false for any other text
 */
bool socket_address_parse(const char *text, int port, SocketAddress *address);

TextAddress socket_address_format(const struct sockaddr_storage *address);

#endif
