/* The functions of a connection that a listener uses. */
#ifndef SVC_TCP_H
#define SVC_TCP_H

#include "machine.h"

/* Gives an accepted socket to a TCP object without options, which adopts it and owns it. */
bool tcp_give(xsMachine *the, xsSlot *instance, int fd);

#endif
