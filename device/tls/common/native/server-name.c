/* Host names and addresses of servers (server-name.h). */
#include "server-name.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

static size_t read_address(uint8_t *address, const char *text)
{
	if (inet_pton(AF_INET, text, address) == 1)
		return 4;
	return inet_pton(AF_INET6, text, address) == 1 ? 16 : 0;
}

bool server_name_parse(ServerName *name, const char *text)
{
	static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t length = strlen(text);
	*name = (ServerName){ .addressLength = 0 };
	name->addressLength = read_address(name->address, text);
	if (name->addressLength > 0)
		return true;
	if (*text == '.' || length == 0 || length > SERVER_NAME_BYTES || strspn(text, LETTERS) != length)
		return false;
	memcpy(name->host, text, text[length - 1] == '.' ? length - 1 : length);
	return true;
}
