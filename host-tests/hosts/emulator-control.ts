/**
 * QMP, by which QEMU is asked over its standard input and output: lines of JSON, each request with one answer
 * (QEMU: docs/interop/qmp-spec.rst).
 */

/** An emulator that is busy with its machine answers later than this only if it hangs. */
const ANSWER_LIMIT_MS = 2000;

export class EmulatorControl {
  readonly #send: (line: string) => void;
  readonly #answered = new Map<number, (answer: unknown) => void>();
  #count = 0;

  /** @param send writes a line to the emulator */
  constructor(send: (line: string) => void) {
    this.#send = send;
    void this.#ask("qmp_capabilities"); // which ends the negotiation
  }

  /** @returns whether a line of the emulator belongs to this protocol */
  take(line: string): boolean {
    if (!line.startsWith("{")) return false;
    const { id, return: answer } = JSON.parse(line) as { readonly id?: number; readonly return?: unknown };
    if (id !== undefined) this.#answered.get(id)?.(answer);
    return true;
  }

  /** Has the machine run. */
  async begin(): Promise<void> {
    await this.#ask("cont");
  }

  /** @returns what the machine does, for a sentence */
  async state(): Promise<string> {
    const answer = await this.#ask("query-status");
    if (answer === undefined) return "its emulator does not answer";
    const { running, status } = answer as { readonly running: boolean; readonly status: string };
    return running ? "the machine is running" : `the machine has stopped (${status})`;
  }

  /** @returns `undefined` if no answer comes */
  #ask(execute: string): Promise<unknown> {
    const id = ++this.#count;
    this.#send(JSON.stringify({ execute, id }));
    return new Promise((resolve) => {
      const settle = (answer?: unknown) => {
        clearTimeout(timer);
        this.#answered.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(settle, ANSWER_LIMIT_MS);
      this.#answered.set(id, settle);
    });
  }
}
