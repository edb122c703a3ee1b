/**
 * Brings the buttons that are held to the console, one request at a time. While one is under way the newest state waits;
 * what was pressed and let go meanwhile is pressed once all the same. A release is never lost: what could not be sent is
 * owed, and sent once the console answers again.
 */
export class ButtonSender {
  readonly #send: (bits: number) => Promise<unknown>;
  #wanted = 0;
  /** Pressed since the last request began. */
  #tapped = 0;
  /** What the console has; `undefined` once nobody knows. */
  #sent: number | undefined = 0;
  #isSending = false;

  /** @param send brings one state to the console; rejects where that is not known to have worked */
  constructor(send: (bits: number) => Promise<unknown>) {
    this.#send = send;
  }

  hold(bits: number): void {
    this.#tapped |= bits & ~this.#wanted;
    this.#wanted = bits;
    void this.#catchUp();
  }

  /** The console answers: sends what is owed, if anything is. */
  resume(): void {
    void this.#catchUp();
  }

  /** Another run of the console, or another console, knows nothing of what is held. */
  restart(): void {
    this.#sent = undefined;
    void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#sent !== this.#wanted || this.#tapped & ~this.#wanted) await this.#sendOnce();
    } catch {
      // It is owed. Whoever asks for pictures at the same time is told why.
      this.#tapped = 0; // too late for a tap, never for a release
    } finally {
      this.#isSending = false;
    }
  }

  async #sendOnce(): Promise<void> {
    const bits = this.#wanted | this.#tapped;
    this.#tapped = 0;
    this.#sent = undefined;
    await this.#send(bits);
    this.#sent = bits;
  }
}
