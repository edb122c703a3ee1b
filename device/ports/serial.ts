/**
 * The console's USB port: the part of ECMA-419 §11 (`embedded:io/serial`) that the USB service needs,
 * and the line state that a CDC ACM function gets from its host. Counts work as in `protocol/ports/network.ts`.
 */
export interface SerialPort {
  /** Fills all of `into`, which is at most as long as what `onReadable` has announced. */
  read(into: Uint8Array): unknown;
  /** All or nothing; throws when `bytes` are more than can be written now. */
  write(bytes: Uint8Array): unknown;
  close(): void;
}

export interface SerialOptions {
  onReadable(byteLength: number): void;
  onWritable(byteLength: number): void;
  /**
   * DTR as the host drives it: true once a program has opened the port, false when it has closed it or
   * the cable was pulled. Bytes unread and unsent at that moment are gone.
   */
  onDataTerminalReady(ready: boolean): void;
}

export type Serial = new (options: SerialOptions) => SerialPort;
