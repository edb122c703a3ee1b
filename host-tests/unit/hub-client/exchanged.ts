/** What came of an exchange, in the order in which it came. */
import type { AnswerHead } from "../../../hub-client/answer-head.js";
import type { AnswerSink } from "../../../hub-client/http-client.js";
import type { Fault } from "../../../protocol/fault.js";

export class Exchanged implements AnswerSink {
  head: AnswerHead | undefined;
  text = "";
  /** `undefined` until the end, then the fault or null. */
  end: Fault | null | undefined;
  readonly #decoder = new TextDecoder();

  onHead(head: AnswerHead): void {
    if (this.head || this.end !== undefined) throw new Error("One head, and before the end");
    this.head = head;
  }

  onBytes(bytes: Uint8Array): void {
    if (!this.head || this.end !== undefined) throw new Error("Bytes come after the head and before the end");
    this.text += this.#decoder.decode(bytes, { stream: true });
  }

  onEnd(fault: Fault | undefined): void {
    if (this.end !== undefined) throw new Error("It ends once");
    this.end = fault ?? null;
  }

  /** As one value to compare. */
  get outcome(): string {
    const end = this.end === null ? "whole" : (this.end?.code ?? "under way");
    return `${this.head?.status ?? "no head"} ${JSON.stringify(this.text)} ${end}`;
  }
}
