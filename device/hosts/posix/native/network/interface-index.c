/* Asks the kernel for the address of each interface (interface-index.h). */
#include "interface-index.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

int interface_index_of(int fd, struct in_addr address)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr = address };
	struct if_nameindex *list = if_nameindex();
	int found = 0;
	for (struct if_nameindex *entry = list; entry && entry->if_index && !found; entry++) {
		struct ifreq request = { 0 };
		memcpy(request.ifr_name, entry->if_name, strnlen(entry->if_name, IFNAMSIZ - 1));
		if (ioctl(fd, SIOCGIFADDR, &request) == 0
				&& ((struct sockaddr_in *)&request.ifr_addr)->sin_addr.s_addr == name.sin_addr.s_addr)
			found = entry->if_index;
	}
	if (list)
		if_freenameindex(list);
	return found;
}
