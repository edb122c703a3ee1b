/* TCP options. */
#ifndef SVC_NETINET_TCP_H
#define SVC_NETINET_TCP_H

enum { TCP_NODELAY = 1 };

#endif
