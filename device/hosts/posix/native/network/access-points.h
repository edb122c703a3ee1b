/*
 * The access points that the simulated radio receives. All of them lead to the host's own network; they differ in how
 * they can be joined.
 */
#ifndef SVC_ACCESS_POINTS_H
#define SVC_ACCESS_POINTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *ssid;			/* "": its name is hidden */
	const char *password;		/* NULL: it is open */
	int rssi;					/* dBm */
	int channel;
	bool isHosts;				/* joined immediately, with the signal of the host's own network */
	bool isWeak;				/* every other attempt to join does not find it, and the connection is lost again soon */
} AccessPoint;

/* NULL beyond the last one. */
const AccessPoint *access_point_at(size_t index);

/* The strongest of that name, NULL if there is none. */
const AccessPoint *access_point_named(const char *ssid);

#endif
