/** A program that compiles with no file descriptor left, with one, two, and so on. Prints how each attempt ends. */
import { closeSync, openSync } from "node:fs";
import { COMPILE_LIMITS, compileInProcess } from "../../../hub/images/compile-process.js";

/** More than starting a process takes. */
const MOST_FREE = 12;

const codeOf = ({ code }: { readonly code: string }) => code;

function compile(): Promise<unknown> {
  return compileInProcess({
    module: new Uint8Array(8),
    limits: COMPILE_LIMITS,
    signal: new AbortController().signal,
    request: {
      architecture: "native",
      manifest: { entry: "main", memory_quota: 65_536, capabilities: [] },
    },
    searchPath: process.env["PATH"] ?? "",
  }).catch(codeOf);
}

function takeDescriptors(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken; // all are in use
  }
}

const codes = [await compile()]; // which also loads what takes descriptors
for (let free = 0; free <= MOST_FREE; free++) {
  const taken = takeDescriptors();
  for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
  codes.push(await compile());
  for (const descriptor of taken) closeSync(descriptor);
}
process.stdout.write(JSON.stringify([...codes, await compile()]));
process.exit(0);
