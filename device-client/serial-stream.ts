/** A serial port as bytes in both directions. The code that opened the device file or the browser's port creates it. */
export interface SerialStream {
  /** Name of the port in messages: `usb:/dev/ttyACM0` if the user typed that, else "the serial port". */
  readonly address: string;

  /**
   * The caller awaits each call before the next.
   * @returns resolves once the port has accepted all bytes; rejects if the port is gone
   */
  write(bytes: Uint8Array): Promise<void>;

  /** Set by the session. Bytes that arrive earlier are buffered or lost. */
  onBytes: (bytes: Uint8Array) => void;

  /** Set by the session: the port is gone (with `error`) or was closed. Called at most once. */
  onClosed: (error?: Error) => void;

  /** May be called twice. Resolves once others can open the port. */
  close(): Promise<void>;
}
