/*
 * The access points that the simulated radio hears. All of them lead to the host's own network; they differ in what
 * it takes to join them.
 */
#ifndef SVC_ACCESS_POINTS_H
#define SVC_ACCESS_POINTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *ssid;			/* "": it hides its name */
	const char *password;		/* NULL: it is open */
	int rssi;					/* dBm */
	int channel;
	bool isHosts;				/* the one that has always been there: joined at once, as near as the host's own */
	bool isWeak;				/* every other join does not find it, and it is lost again soon */
} AccessPoint;

/* NULL beyond the last one. */
const AccessPoint *access_point_at(size_t index);

/* The strongest of that name, NULL where there is none. */
const AccessPoint *access_point_named(const char *ssid);

#endif
