/**
 * The console's USB port: the part of ECMA-419 §11 (`embedded:io/serial`) that the USB service needs,
 * and the line state that a CDC ACM function receives from its host. Byte counts work as in
 * `protocol/ports/network.ts`.
 */
export interface SerialPort {
  /** Fills `into`, which must not be longer than the count announced by `onReadable`. */
  read(into: Uint8Array): unknown;
  /** Writes all bytes, or throws if there is not enough room now. */
  write(bytes: Uint8Array): unknown;
  close(): void;
}

export interface SerialOptions {
  onReadable(byteLength: number): void;
  onWritable(byteLength: number): void;
  /**
   * DTR as driven by the host: true when a program opens the port, false when it closes the port or the cable is
   * unplugged. Unread and unsent bytes are then lost. On a port without DTR something else stands in for it
   * (docs/spec/usb.md#bridge).
   */
  onDataTerminalReady(ready: boolean): void;
}

export type Serial = new (options: SerialOptions) => SerialPort;
