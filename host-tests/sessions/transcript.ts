/** A recording as it grows: `>` is what the console is sent, `<` what it says, and other lines what happens. */
import { visibleLines } from "./visible-bytes.js";

export class Transcript {
  readonly #lines: string[] = [];

  scene(title: string): void {
    if (this.#lines.length > 0) this.#lines.push("");
    this.#lines.push(`# ${title}`);
  }

  sent(text: string): void {
    this.#add(">", text);
  }

  received(text: string): void {
    this.#add("<", text);
  }

  happened(what: string): void {
    this.#lines.push(`(${what})`);
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  #add(sign: string, text: string): void {
    for (const line of visibleLines(text)) this.#lines.push(`${sign} ${line}`);
  }
}
