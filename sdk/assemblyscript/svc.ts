/**
 * What apps can ask of the console. Made by `npm run docs` from device/wasm/abi.ts; do not edit.
 *
 * Results below 0 are errors (`Errno`). A call without the capability that it needs ends the app.
 */

export enum Errno {
  /** Not permitted. */
  NOT_PERMITTED = -1,
  /** No such thing. */
  NOT_FOUND = -2,
  /** Input or output failed. */
  IO = -5,
  /** Out of memory. */
  MEMORY = -12,
  /** Busy. */
  BUSY = -16,
  /** No such hardware. */
  NO_HARDWARE = -19,
  /** Invalid argument. */
  INVALID = -22,
  /** No space. */
  NO_SPACE = -28,
  /** Not supported. */
  NOT_SUPPORTED = -38,
}

export enum LogLevel {
  DEBUG = 0,
  INFO = 1,
  WARNING = 2,
  ERROR = 3,
}

/** Bits of `buttons()`. */
export enum Button {
  UP = 1 << 0,
  DOWN = 1 << 1,
  LEFT = 1 << 2,
  RIGHT = 1 << 3,
  A = 1 << 4,
  B = 1 << 5,
  X = 1 << 6,
  Y = 1 << 7,
  START = 1 << 8,
  SELECT = 1 << 9,
}

/** The functions as they are, with addresses in the app's memory. */
export namespace raw {
  @external("svc", "log")
  export declare function log(level: i32, ptr: usize, len: i32): i32;

  @external("svc", "uptime_ms")
  export declare function uptime_ms(): i64;

  @external("svc", "sleep_ms")
  export declare function sleep_ms(ms: i32): i32;

  @external("svc", "random")
  export declare function random(ptr: usize, len: i32): i32;

  @external("svc", "exit")
  export declare function exit(code: i32): i32;

  @external("svc", "script_size")
  export declare function script_size(): i32;

  @external("svc", "script_read")
  export declare function script_read(ptr: usize, offset: i32, len: i32): i32;

  @external("svc", "display_width")
  export declare function display_width(): i32;

  @external("svc", "display_height")
  export declare function display_height(): i32;

  @external("svc", "display_fill")
  export declare function display_fill(x: i32, y: i32, w: i32, h: i32, rgb565: i32): i32;

  @external("svc", "display_blit")
  export declare function display_blit(x: i32, y: i32, w: i32, h: i32, ptr: usize): i32;

  @external("svc", "display_text")
  export declare function display_text(x: i32, y: i32, rgb565: i32, ptr: usize, len: i32): i32;

  @external("svc", "display_flush")
  export declare function display_flush(): i32;

  @external("svc", "gpio_read")
  export declare function gpio_read(pin: i32): i32;

  @external("svc", "buttons")
  export declare function buttons(): i32;

  @external("svc", "gpio_mode")
  export declare function gpio_mode(pin: i32, mode: i32): i32;

  @external("svc", "gpio_write")
  export declare function gpio_write(pin: i32, level: i32): i32;

  @external("svc", "storage_size")
  export declare function storage_size(key: usize, key_len: i32): i32;

  @external("svc", "storage_read")
  export declare function storage_read(key: usize, key_len: i32, offset: i32, ptr: usize, len: i32): i32;

  @external("svc", "storage_write")
  export declare function storage_write(key: usize, key_len: i32, ptr: usize, len: i32): i32;

  @external("svc", "storage_delete")
  export declare function storage_delete(key: usize, key_len: i32): i32;

  @external("svc", "net_connect")
  export declare function net_connect(host: usize, host_len: i32, port: i32): i32;

  @external("svc", "net_send")
  export declare function net_send(handle: i32, ptr: usize, len: i32): i32;

  @external("svc", "net_receive")
  export declare function net_receive(handle: i32, ptr: usize, len: i32, timeout_ms: i32): i32;

  @external("svc", "net_close")
  export declare function net_close(handle: i32): i32;

  @external("svc", "ble_advertise")
  export declare function ble_advertise(name: usize, name_len: i32): i32;

  @external("svc", "ble_stop")
  export declare function ble_stop(): i32;

  @external("svc", "app_start")
  export declare function app_start(name: usize, len: i32): i32;

  @external("svc", "app_stop")
  export declare function app_stop(name: usize, len: i32): i32;

  @external("svc", "app_list")
  export declare function app_list(ptr: usize, len: i32): i32;
}

/** Writes a line to the console's log. Levels: 0 debug, 1 info, 2 warning, 3 error. */
export function log(level: i32, text: string): i32 {
  const textUtf8 = String.UTF8.encode(text);
  return raw.log(level, changetype<usize>(textUtf8), textUtf8.byteLength);
}

/** Milliseconds since the console started. */
export function uptimeMs(): i64 {
  return raw.uptime_ms();
}

/** Waits. A negative time is -22. */
export function sleepMs(ms: i32): i32 {
  return raw.sleep_ms(ms);
}

/** Fills memory from a cryptographic source. */
export function random(into: Uint8Array): i32 {
  return raw.random(into.dataStart, into.byteLength);
}

/** Ends the app. Does not return. */
export function exit(code: i32): i32 {
  return raw.exit(code);
}

/** Bytes of the custom section `svc_py_script`, or -2 where the module has none. */
export function scriptSize(): i32 {
  return raw.script_size();
}

/** Copies from the script and returns how many bytes, fewer only at its end. */
export function scriptRead(into: Uint8Array, offset: i32): i32 {
  return raw.script_read(into.dataStart, offset, into.byteLength);
}

/** Pixels in a row. Needs `display.write`. */
export function displayWidth(): i32 {
  return raw.display_width();
}

/** Rows of the display. Needs `display.write`. */
export function displayHeight(): i32 {
  return raw.display_height();
}

/** Fills a rectangle. What lies outside the display is left out. Needs `display.write`. */
export function displayFill(x: i32, y: i32, w: i32, h: i32, rgb565: i32): i32 {
  return raw.display_fill(x, y, w, h, rgb565);
}

/** Copies pixels (RGB565, little-endian, row by row). What lies outside the display is left out. Needs `display.write`. */
export function displayBlit(x: i32, y: i32, w: i32, h: i32, pixels: Uint16Array): i32 {
  if (w > 0 && h > 0 && i64(w) * i64(h) > i64(pixels.length)) return Errno.INVALID;
  return raw.display_blit(x, y, w, h, pixels.dataStart);
}

/** Writes text in the console's 8 by 16 font, its top left corner at x and y. Needs `display.write`. */
export function displayText(x: i32, y: i32, rgb565: i32, text: string): i32 {
  const textUtf8 = String.UTF8.encode(text);
  return raw.display_text(x, y, rgb565, changetype<usize>(textUtf8), textUtf8.byteLength);
}

/** Shows what was drawn. Needs `display.write`. */
export function displayFlush(): i32 {
  return raw.display_flush();
}

/** Level of a pin, 0 or 1. Needs `gpio.read`. */
export function gpioRead(pin: i32): i32 {
  return raw.gpio_read(pin);
}

/** Buttons that are down, a bit each: up, down, left, right, A, B, X, Y, start, select. Needs `gpio.read`. */
export function buttons(): i32 {
  return raw.buttons();
}

/** Makes a pin an input (0), an input pulled up (1) or down (2), or an output (3). Needs `gpio.write`. */
export function gpioMode(pin: i32, mode: i32): i32 {
  return raw.gpio_mode(pin, mode);
}

/** Sets an output pin to 0 or 1; -1 where the pin is no output. Needs `gpio.write`. */
export function gpioWrite(pin: i32, level: i32): i32 {
  return raw.gpio_write(pin, level);
}

/** Bytes stored under a key, or -2. Needs `storage.read`. */
export function storageSize(key: string): i32 {
  const keyUtf8 = String.UTF8.encode(key);
  return raw.storage_size(changetype<usize>(keyUtf8), keyUtf8.byteLength);
}

/** Copies from what is stored under a key and returns how many bytes, fewer only at its end. Needs `storage.read`. */
export function storageRead(key: string, offset: i32, into: Uint8Array): i32 {
  const keyUtf8 = String.UTF8.encode(key);
  return raw.storage_read(changetype<usize>(keyUtf8), keyUtf8.byteLength, offset, into.dataStart, into.byteLength);
}

/** Stores a value under a key in one step and returns 0; -28 past the app's 64 KiB. Needs `storage.write`. */
export function storageWrite(key: string, bytes: Uint8Array): i32 {
  const keyUtf8 = String.UTF8.encode(key);
  return raw.storage_write(changetype<usize>(keyUtf8), keyUtf8.byteLength, bytes.dataStart, bytes.byteLength);
}

/** Forgets a key; -2 where there is none. Needs `storage.write`. */
export function storageDelete(key: string): i32 {
  const keyUtf8 = String.UTF8.encode(key);
  return raw.storage_delete(changetype<usize>(keyUtf8), keyUtf8.byteLength);
}

/** Opens a TCP connection and returns its handle. Needs `network.use`. */
export function netConnect(host: string, port: i32): i32 {
  const hostUtf8 = String.UTF8.encode(host);
  return raw.net_connect(changetype<usize>(hostUtf8), hostUtf8.byteLength, port);
}

/** Sends bytes and returns how many were taken. Needs `network.use`. */
export function netSend(handle: i32, bytes: Uint8Array): i32 {
  return raw.net_send(handle, bytes.dataStart, bytes.byteLength);
}

/** Waits for bytes and returns how many came: 0 once the peer has closed, -16 after the time. Needs `network.use`. */
export function netReceive(handle: i32, into: Uint8Array, timeoutMs: i32): i32 {
  return raw.net_receive(handle, into.dataStart, into.byteLength, timeoutMs);
}

/** Closes a connection. Needs `network.use`. */
export function netClose(handle: i32): i32 {
  return raw.net_close(handle);
}

/** Advertises a name; -19 where the console has no Bluetooth. Needs `ble.use`. */
export function bleAdvertise(name: string): i32 {
  const nameUtf8 = String.UTF8.encode(name);
  return raw.ble_advertise(changetype<usize>(nameUtf8), nameUtf8.byteLength);
}

/** Stops advertising. Needs `ble.use`. */
export function bleStop(): i32 {
  return raw.ble_stop();
}

/** Starts an app; -2 where there is none, -16 where it runs or too many do. Needs `app.control`. */
export function appStart(name: string): i32 {
  const nameUtf8 = String.UTF8.encode(name);
  return raw.app_start(changetype<usize>(nameUtf8), nameUtf8.byteLength);
}

/** Stops an app, itself too; -2 where none of that name runs. Needs `app.control`. */
export function appStop(name: string): i32 {
  const nameUtf8 = String.UTF8.encode(name);
  return raw.app_stop(changetype<usize>(nameUtf8), nameUtf8.byteLength);
}

/** Fills memory with the list of apps in JSON and returns its whole length, which may be more than `len`. Needs `app.control`. */
export function appList(into: Uint8Array): i32 {
  return raw.app_list(into.dataStart, into.byteLength);
}
