/*
 * svc/resolver: the lookup of a host name. The class is the same on all hosts (lookup.c); each host resolves names in its
 * own way, in lookup_start.
 */
#ifndef SVC_LOOKUP_H
#define SVC_LOOKUP_H

#include <stdbool.h>

#include "machine.h"

enum {
	MAXIMUM_NAME_LENGTH = 253,		/* RFC 1035 §2.3.4, without the length of the root */
	ADDRESS_TEXT_BYTES = 46,		/* INET6_ADDRSTRLEN */
};

typedef struct Lookup Lookup;
struct Lookup {
	char name[MAXIMUM_NAME_LENGTH + 1];
	char address[ADDRESS_TEXT_BYTES];
	const char *problem;	/* why no address was found; NULL if one was */
	bool isDone;			/* has called back */
	bool isOrphan;			/* its object is gone; the next function that gets the record frees it */
	xsSlot self;
	xsSlot onDone;
	Lookup *next;			/* for lookup_start: lookups that wait */
};

/* Implemented by each host. Fills `address` or `problem`, later or now, and then posts lookup_finish to the event loop. */
void lookup_start(Lookup *lookup);

/* For event_loop_post: calls back and releases the lookup; frees an orphan. */
void lookup_finish(void *lookup);

#endif
