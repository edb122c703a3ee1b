/* An ESP-IDF timer, whose task runs beside the program (trial-timer.h). Checks once: a trial never starts again. */
#include "trial-timer.h"

#include <stdint.h>

#include "esp_timer.h"
#include "ota-record.h"
#include "start.h"

enum { GRACE_SECONDS = 1 };
static const uint64_t SECOND_US = 1000000;

static void end_trial(void *context)
{
	(void)context;
	if (ota_record_now(start_slot()).phase == PHASE_TRIAL && ota_record_revert(start_slot()) == 0)
		start_again();
}

void trial_timer_start(int seconds)
{
	static esp_timer_handle_t timer;
	const esp_timer_create_args_t options = { .callback = end_trial, .name = "trial" };
	if (esp_timer_create(&options, &timer) == ESP_OK)
		(void)esp_timer_start_once(timer, (uint64_t)(seconds + GRACE_SECONDS) * SECOND_US);
}
