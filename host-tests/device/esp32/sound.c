/* The loudspeaker of a board, over doubles of the chip's driver and of its task. Prints what does not hold. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "board-i2c.h"
#include "board-sound.h"
#include "driver/i2s_std.h"
#include "freertos/task.h"
#include "holds.h"
#include "mc.defines.h"
#include "pins-board.h"
#include "sound-mixer.h"
#include "sound.h"

static const char player[1];
static bool busHasPins, hasTask = true, hasChannel = true;
static TaskFunction_t code;
static int notices, channels, delays;
static int16_t played[SOUND_RATE];
static size_t playedCount;
static jmp_buf atRest;

static int handedPins;

int32_t pins_hand_over(const int *handed, int count, int32_t (*take)(void))
{
	HOLDS(count == 3 && handed[0] == MODDEF_SOUND_CLOCK && handed[1] == MODDEF_SOUND_WORD && handed[2] == MODDEF_SOUND_DATA);
	handedPins += count;
	return take();
}

bool board_i2c_has_pin(int pin)
{
	return busHasPins && pin == MODDEF_SOUND_DATA;
}

BaseType_t xTaskCreate(TaskFunction_t run, const char *name, uint32_t stack, void *parameters, UBaseType_t priority,
	TaskHandle_t *task)
{
	(void)name, (void)stack, (void)parameters, (void)priority;
	if (!hasTask)
		return 0;
	code = run;
	*task = (TaskHandle_t)&code;
	return pdTRUE;
}

BaseType_t xTaskGenericNotify(TaskHandle_t task, UBaseType_t index, uint32_t value, eNotifyAction action, uint32_t *previous)
{
	(void)index, (void)value, (void)previous;
	HOLDS(task == (TaskHandle_t)&code && action == eIncrement);
	notices++;
	return pdTRUE;
}

/* Where a task would wait, the test goes on. */
uint32_t ulTaskGenericNotifyTake(UBaseType_t index, BaseType_t clear, TickType_t ticks)
{
	(void)index;
	HOLDS(clear == pdTRUE && ticks == portMAX_DELAY);
	if (notices == 0)
		longjmp(atRest, 1);
	notices = 0;
	return 1;
}

void vTaskDelay(TickType_t ticks)
{
	HOLDS(ticks == 20);
	delays++;
}

esp_err_t i2s_new_channel(const i2s_chan_config_t *config, i2s_chan_handle_t *output, i2s_chan_handle_t *input)
{
	HOLDS(config->id == I2S_NUM_AUTO && config->auto_clear && input == NULL);
	channels++;
	*output = (i2s_chan_handle_t)&channels;
	return hasChannel ? ESP_OK : ESP_FAIL;
}

esp_err_t i2s_channel_init_std_mode(i2s_chan_handle_t channel, const i2s_std_config_t *config)
{
	const i2s_std_gpio_config_t *pins = &config->gpio_cfg;
	HOLDS(channel == (i2s_chan_handle_t)&channels && config->clk_cfg.sample_rate_hz == SOUND_RATE);
	HOLDS(config->slot_cfg.data_bit_width == 16 && config->slot_cfg.slot_mode == I2S_SLOT_MODE_MONO);
	HOLDS(pins->bclk == MODDEF_SOUND_CLOCK && pins->ws == MODDEF_SOUND_WORD && pins->dout == MODDEF_SOUND_DATA);
	HOLDS(pins->mclk == I2S_GPIO_UNUSED && pins->din == I2S_GPIO_UNUSED);
	return ESP_OK;
}

esp_err_t i2s_channel_enable(i2s_chan_handle_t channel)
{
	(void)channel;
	return ESP_OK;
}

esp_err_t i2s_channel_write(i2s_chan_handle_t channel, const void *bytes, size_t byteLength, size_t *written,
	uint32_t timeoutMs)
{
	HOLDS(channel == (i2s_chan_handle_t)&channels && timeoutMs == portMAX_DELAY && byteLength % 2 == 0);
	for (size_t index = 0; index < byteLength / 2 && playedCount < SOUND_RATE; index++)
		played[playedCount++] = ((const int16_t *)bytes)[index];
	*written = byteLength;
	return ESP_OK;
}

static void run_task(void)
{
	if (setjmp(atRest) == 0)
		code(NULL);
}

int main(void)
{
	const SoundTone tone = { 500, 500, 100, 100, SOUND_SQUARE };
	sound_bring_to_front(player);
	busHasPins = true;
	board_sound_start();
	HOLDS(!sound_is_there(), "the bus has a pin");
	busHasPins = false;
	board_sound_start();
	HOLDS(sound_is_there() && !board_sound_has_pin(MODDEF_SOUND_DATA), "no pin is taken before an app plays");

	hasTask = false;
	HOLDS(sound_tone(player, 0, &tone) && !code, "without memory for a task");
	hasTask = true;
	HOLDS(sound_tone(player, 0, &tone) && code, "the next sound tries again");
	HOLDS(notices == 1, "a new task is told, too");
	run_task();
	HOLDS(channels == 1 && board_sound_has_pin(MODDEF_SOUND_DATA) && board_sound_has_pin(MODDEF_SOUND_CLOCK)
		&& board_sound_has_pin(MODDEF_SOUND_WORD) && !board_sound_has_pin(2), "its pins are taken");
	HOLDS(handedPins == 3, "apps have lost them before");
	HOLDS(playedCount == SOUND_RATE / 10 && abs(played[800]) == INT16_MAX / SOUND_VOICES, "a tone of 100 ms: %d", (int)playedCount);

	sound_tone(player, 0, &tone);
	HOLDS(notices == 1, "the task is told of each sound");
	return failures > 0;
}
