/** A peer that breaks the protocol. The WebSocket closes with the code that states how (RFC 6455 §7.1.7). */
export class FrameError extends Error {
  override readonly name = "FrameError"; // a field: `this.name =` throws once XS freezes Error.prototype
  /** For the Close frame: 1002, 1007 or 1009 (RFC 6455 §7.4.1). */
  readonly closeCode: number;

  constructor(closeCode: number, message: string) {
    super(message);
    this.closeCode = closeCode;
  }
}
