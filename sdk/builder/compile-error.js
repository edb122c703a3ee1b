/** What a compiler has to say against an app's sources, in its own words. */
import { SdkError } from "../sdk-error.js";

export class CompileError extends SdkError {
  /** What could not be compiled, such as `main.ts`. @type {string} */
  sources;
  /** Lines of the compiler. @type {string} */
  said;

  /** @param {string} sources @param {string} said */
  constructor(sources, said) {
    super("compile_failed", `Cannot compile ${sources}: ${said}`);
    this.sources = sources;
    this.said = said.trimEnd();
  }
}
