/* The simulated radio as the network behind it sees it. */
#ifndef SVC_WIFI_H
#define SVC_WIFI_H

#include <stdbool.h>

/* Also while the program has no radio: a program without Wi-Fi uses the host's network. */
bool wifi_is_joined(void);

/* In dBm, of the joined access point; `hosts` is that of the host's own network. */
int wifi_rssi(int hosts);

#endif
