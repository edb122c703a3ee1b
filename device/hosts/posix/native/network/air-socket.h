/* The air of a simulated radio: a socket of the family of the file system, in the state directory. */
#ifndef SVC_AIR_SOCKET_H
#define SVC_AIR_SOCKET_H

#include <sys/socket.h>
#include <sys/un.h>

#include "xsmc.h"

enum { AIR_PATH_BYTES = sizeof(((struct sockaddr_un *)0)->sun_path) };

/*
 * Listens at that name in the state directory, for the user alone; what another run has left there is replaced. The
 * caller closes the descriptor, which never waits, and unlinks the path.
 * @returns the descriptor; throws if there is none
 */
int air_socket_listen(xsMachine *the, const char *name, int backlog, char path[AIR_PATH_BYTES]);

#endif
