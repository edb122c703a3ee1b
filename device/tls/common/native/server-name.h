/* The name that a server's certificate has to be for: a host name or a numeric address. */
#ifndef SVC_SERVER_NAME_H
#define SVC_SERVER_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_NAME_BYTES = 253 };		/* RFC 1035 §2.3.4, in text and without the root */

typedef struct {
	char host[SERVER_NAME_BYTES + 1];		/* without the root, which has no name in TLS (RFC 6066 §3) or in certificates */
	uint8_t address[16];
	size_t addressLength;		/* 4 or 16; 0 if it is a host name */
} ServerName;

/* @returns false if the text is neither a host name nor an address */
bool server_name_parse(ServerName *name, const char *text);

#endif
