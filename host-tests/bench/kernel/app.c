/* The kernel as an app, which exits with the milliseconds that it took. */
#include <svc.h>

#include "kernel.h"

int main(void)
{
	const int64_t began = svc_uptime_ms();
	const int result = kernel(KERNEL_ROUNDS);
	return result < 0 ? -1 : (int)(svc_uptime_ms() - began);
}
