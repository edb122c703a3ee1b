/* A ring of samples (load-window.h). */
#include "load-window.h"

void load_window_add(LoadWindow *window, uint32_t busy, uint32_t now)
{
	uint32_t index = window->count++ % LOAD_SAMPLES;
	window->busy[index] = busy;
	window->now[index] = now;
}

int load_window_percent(const LoadWindow *window)
{
	if (window->count < 2)
		return 0;
	uint32_t latest = (window->count - 1) % LOAD_SAMPLES;
	uint32_t oldest = window->count > LOAD_SAMPLES ? window->count % LOAD_SAMPLES : 0;
	uint32_t elapsed = window->now[latest] - window->now[oldest];
	uint32_t busy = window->busy[latest] - window->busy[oldest];
	if (elapsed == 0)
		return 0;
	return busy >= elapsed ? 100 : (int)((uint64_t)busy * 100 / elapsed);
}
