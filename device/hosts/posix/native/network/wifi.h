/* What the simulated radio means to the network behind it. */
#ifndef SVC_WIFI_H
#define SVC_WIFI_H

#include <stdbool.h>

/* Also while the program has no radio: one that wants none is where the host is. */
bool wifi_is_joined(void);

/* In dBm, of what is joined; `hosts` of the host's own network. */
int wifi_rssi(int hosts);

#endif
