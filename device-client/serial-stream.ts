/** A serial port as bytes in both directions. The code that opened the device file or the browser's port creates it. */
export interface SerialStream {
  /** What messages call it: `usb:/dev/ttyACM0` for who has typed that, or "the serial port". */
  readonly address: string;

  /**
   * Called one after the other: the next only once the one before has settled, or after `close`.
   * @returns settles once the port has taken them all; rejects where it is gone
   */
  write(bytes: Uint8Array): Promise<void>;

  /** Set by the session. What comes before it is set waits, or is lost as it would be before the port was opened. */
  onBytes: (bytes: Uint8Array) => void;

  /** Set by the session: the port is gone (`error` says how), or was closed. Called once at the most. */
  onClosed: (error?: Error) => void;

  /** May be called twice. Settles once others can open the port. */
  close(): Promise<void>;
}
