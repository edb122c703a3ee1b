/* The C library has byte-order functions; the text form of addresses is ours (internet-address.c). */
#ifndef SVC_ARPA_INET_H
#define SVC_ARPA_INET_H

#include_next <arpa/inet.h>
#include <sys/socket.h>

/*
 * AF_INET only; -1 with EAFNOSUPPORT for any other family.
 * @returns 1, or 0 if the text is not an address
 */
int inet_pton(int family, const char *text, void *address);

/*
 * AF_INET only.
 * @returns `text`; NULL with EAFNOSUPPORT, or with ENOSPC if it does not fit `size`
 */
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

#endif
