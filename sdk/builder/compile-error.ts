/** What a compiler has to say against an app's sources, in its own words. */
import { SdkError } from "../sdk-error.js";

export class CompileError extends SdkError {
  /** What could not be compiled, such as `main.ts`. */
  sources: string;
  /** Lines of the compiler. */
  said: string;

  constructor(sources: string, said: string) {
    super("compile_failed", `Cannot compile ${sources}: ${said}`);
    this.sources = sources;
    this.said = said.trimEnd();
  }
}
