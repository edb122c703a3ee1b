/* What a listener needs of a connection. */
#ifndef SVC_TCP_H
#define SVC_TCP_H

#include "machine.h"

/* Gives an accepted socket to a TCP object without options, for its adoption. The socket is the object's now. */
bool tcp_give(xsMachine *the, xsSlot *instance, int fd);

#endif
