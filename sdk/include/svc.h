/*
 * What apps can ask of the console. Made by `npm run docs` from device/wasm/abi.ts; do not edit.
 *
 * Results below 0 are errors (SVC_ERROR_*). Text is UTF-8 and needs no zero at its end. A call without the
 * capability that it needs, or with memory that is not the app's, ends the app.
 */
#ifndef SVC_H
#define SVC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SVC_IMPORT(name) __attribute__((import_module("svc"), import_name(#name)))

/* Functions that the console calls by name. */
#define SVC_EXPORT(name) __attribute__((export_name(#name)))

#define SVC_CAP_DISPLAY_WRITE (1 << 0) /* Draw on the display. */
#define SVC_CAP_GPIO_READ (1 << 1) /* Read pins and buttons. */
#define SVC_CAP_GPIO_WRITE (1 << 2) /* Set pins. */
#define SVC_CAP_STORAGE_READ (1 << 3) /* Read its own stored values. */
#define SVC_CAP_STORAGE_WRITE (1 << 4) /* Keep values of its own. */
#define SVC_CAP_NETWORK (1 << 5) /* Open network connections. */
#define SVC_CAP_BLE (1 << 6) /* Use Bluetooth. */
#define SVC_CAP_APP_CONTROL (1 << 7) /* Start, stop and list apps. */

#define SVC_ERROR_NOT_PERMITTED (-1) /* Not permitted. */
#define SVC_ERROR_NOT_FOUND (-2) /* No such thing. */
#define SVC_ERROR_IO (-5) /* Input or output failed. */
#define SVC_ERROR_MEMORY (-12) /* Out of memory. */
#define SVC_ERROR_BUSY (-16) /* Busy. */
#define SVC_ERROR_NO_HARDWARE (-19) /* No such hardware. */
#define SVC_ERROR_INVALID (-22) /* Invalid argument. */
#define SVC_ERROR_NO_SPACE (-28) /* No space. */
#define SVC_ERROR_NOT_SUPPORTED (-38) /* Not supported. */

/* Bits of svc_buttons(). */
#define SVC_BUTTON_UP (1 << 0)
#define SVC_BUTTON_DOWN (1 << 1)
#define SVC_BUTTON_LEFT (1 << 2)
#define SVC_BUTTON_RIGHT (1 << 3)
#define SVC_BUTTON_A (1 << 4)
#define SVC_BUTTON_B (1 << 5)
#define SVC_BUTTON_X (1 << 6)
#define SVC_BUTTON_Y (1 << 7)
#define SVC_BUTTON_START (1 << 8)
#define SVC_BUTTON_SELECT (1 << 9)

/* Writes a line to the console's log. Levels: 0 debug, 1 info, 2 warning, 3 error. */
SVC_IMPORT(log) int32_t svc_log(int32_t level, const void *ptr, int32_t len);

/* Milliseconds since the console started. */
SVC_IMPORT(uptime_ms) int64_t svc_uptime_ms(void);

/* Waits. A negative time is -22. */
SVC_IMPORT(sleep_ms) int32_t svc_sleep_ms(int32_t ms);

/* Fills memory from a cryptographic source. */
SVC_IMPORT(random) int32_t svc_random(void *ptr, int32_t len);

/* Ends the app. Does not return. */
SVC_IMPORT(exit) __attribute__((noreturn)) void svc_exit(int32_t code);

/* Bytes of the custom section `svc_py_script`, or -2 where the module has none. */
SVC_IMPORT(script_size) int32_t svc_script_size(void);

/* Copies from the script and returns how many bytes, fewer only at its end. */
SVC_IMPORT(script_read) int32_t svc_script_read(void *ptr, int32_t offset, int32_t len);

/* Pixels in a row. Needs display.write. */
SVC_IMPORT(display_width) int32_t svc_display_width(void);

/* Rows of the display. Needs display.write. */
SVC_IMPORT(display_height) int32_t svc_display_height(void);

/* Fills a rectangle. What lies outside the display is left out. Needs display.write. */
SVC_IMPORT(display_fill) int32_t svc_display_fill(int32_t x, int32_t y, int32_t w, int32_t h, int32_t rgb565);

/* Copies pixels (RGB565, little-endian, row by row). What lies outside the display is left out. Needs display.write. */
SVC_IMPORT(display_blit) int32_t svc_display_blit(int32_t x, int32_t y, int32_t w, int32_t h, const void *ptr);

/* Writes text in the console's 8 by 16 font, its top left corner at x and y. Needs display.write. */
SVC_IMPORT(display_text) int32_t svc_display_text(int32_t x, int32_t y, int32_t rgb565, const void *ptr, int32_t len);

/* Shows what was drawn. Needs display.write. */
SVC_IMPORT(display_flush) int32_t svc_display_flush(void);

/* Level of a pin, 0 or 1. Needs gpio.read. */
SVC_IMPORT(gpio_read) int32_t svc_gpio_read(int32_t pin);

/* Buttons that are down, a bit each: up, down, left, right, A, B, X, Y, start, select. Needs gpio.read. */
SVC_IMPORT(buttons) int32_t svc_buttons(void);

/* Makes a pin an input (0), an input pulled up (1) or down (2), or an output (3). Needs gpio.write. */
SVC_IMPORT(gpio_mode) int32_t svc_gpio_mode(int32_t pin, int32_t mode);

/* Sets an output pin to 0 or 1; -1 where the pin is no output. Needs gpio.write. */
SVC_IMPORT(gpio_write) int32_t svc_gpio_write(int32_t pin, int32_t level);

/* Bytes stored under a key, or -2. Needs storage.read. */
SVC_IMPORT(storage_size) int32_t svc_storage_size(const void *key, int32_t key_len);

/* Copies from what is stored under a key and returns how many bytes, fewer only at its end. Needs storage.read. */
SVC_IMPORT(storage_read) int32_t svc_storage_read(const void *key, int32_t key_len, int32_t offset, void *ptr, int32_t len);

/* Stores a value under a key in one step and returns 0; -28 past the app's 64 KiB. Needs storage.write. */
SVC_IMPORT(storage_write) int32_t svc_storage_write(const void *key, int32_t key_len, const void *ptr, int32_t len);

/* Forgets a key; -2 where there is none. Needs storage.write. */
SVC_IMPORT(storage_delete) int32_t svc_storage_delete(const void *key, int32_t key_len);

/* Opens a TCP connection and returns its handle. Needs network.use. */
SVC_IMPORT(net_connect) int32_t svc_net_connect(const void *host, int32_t host_len, int32_t port);

/* Sends bytes and returns how many were taken. Needs network.use. */
SVC_IMPORT(net_send) int32_t svc_net_send(int32_t handle, const void *ptr, int32_t len);

/* Waits for bytes and returns how many came: 0 once the peer has closed, -16 after the time. Needs network.use. */
SVC_IMPORT(net_receive) int32_t svc_net_receive(int32_t handle, void *ptr, int32_t len, int32_t timeout_ms);

/* Closes a connection. Needs network.use. */
SVC_IMPORT(net_close) int32_t svc_net_close(int32_t handle);

/* Advertises a name; -19 where the console has no Bluetooth. Needs ble.use. */
SVC_IMPORT(ble_advertise) int32_t svc_ble_advertise(const void *name, int32_t name_len);

/* Stops advertising. Needs ble.use. */
SVC_IMPORT(ble_stop) int32_t svc_ble_stop(void);

/* Starts an app; -2 where there is none, -16 where it runs or too many do. Needs app.control. */
SVC_IMPORT(app_start) int32_t svc_app_start(const void *name, int32_t len);

/* Stops an app, itself too; -2 where none of that name runs. Needs app.control. */
SVC_IMPORT(app_stop) int32_t svc_app_stop(const void *name, int32_t len);

/* Fills memory with the list of apps in JSON and returns its whole length, which may be more than `len`. Needs app.control. */
SVC_IMPORT(app_list) int32_t svc_app_list(void *ptr, int32_t len);

#ifdef __cplusplus
}
#endif

#endif
