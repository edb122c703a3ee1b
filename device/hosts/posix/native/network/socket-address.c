/* inet_pton and inet_ntop for both families (socket-address.h). */
#include "socket-address.h"

#include <arpa/inet.h>
#include <string.h>

bool socket_address_parse(const char *text, int port, SocketAddress *address)
{
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)&address->storage;
	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)&address->storage;
	memset(address, 0, sizeof(*address));
	if (strcmp(text, "localhost") == 0)
		text = "127.0.0.1";
	if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons(port);
		address->length = sizeof(*ipv4);
		return true;
	}
	if (inet_pton(AF_INET6, text, &ipv6->sin6_addr) == 1) {
		ipv6->sin6_family = AF_INET6;
		ipv6->sin6_port = htons(port);
		address->length = sizeof(*ipv6);
		return true;
	}
	return false;
}

TextAddress socket_address_format(const struct sockaddr_storage *address)
{
	TextAddress text = { "", 0 };
	const struct sockaddr_in *ipv4 = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;
	if (address->ss_family == AF_INET) {
		inet_ntop(AF_INET, &ipv4->sin_addr, text.address, sizeof(text.address));
		text.port = ntohs(ipv4->sin_port);
	}
	else if (address->ss_family == AF_INET6) {
		const uint8_t *bytes = ipv6->sin6_addr.s6_addr;
		if (IN6_IS_ADDR_V4MAPPED(&ipv6->sin6_addr))
			inet_ntop(AF_INET, bytes + 12, text.address, sizeof(text.address));
		else
			inet_ntop(AF_INET6, bytes, text.address, sizeof(text.address));
		text.port = ntohs(ipv6->sin6_port);
	}
	return text;
}
