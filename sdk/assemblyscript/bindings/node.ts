/** What the `process` of AssemblyScript's standard library asks of its host; see dom.ts beside it. */
import { raw } from "svc";

export namespace process {
  /** The console gives an app no arguments. */
  export const argv: string[] = [];

  export function exit(code: i32): void {
    raw.exit(code);
  }
}
