/* DIR/mac, one line (mac-address.h). */
#include "mac-address.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "options.h"

const char *mac_address(void)
{
	static char mac[18];
	uint8_t random[2];
	FILE *file = fopen(options_state_path("mac"), "r");
	bool isRead = file && fscanf(file, "%17[0-9A-F:]", mac) == 1 && strlen(mac) == 17;
	if (file)
		fclose(file);
	if (isRead)
		return mac;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		abort();
	snprintf(mac, sizeof(mac), "02:00:00:00:%02X:%02X", random[0], random[1]);
	file = fopen(options_state_path("mac"), "w");
	if (file) {
		fprintf(file, "%s\n", mac);
		fclose(file);
	}
	return mac;
}
