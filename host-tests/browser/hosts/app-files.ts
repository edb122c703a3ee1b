/** App files as a user chooses or drops them: a package and its signature file. */
import { moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import type { Publisher } from "../../hosts/publisher.js";

/** A file as a file chooser passes it to the page. */
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export function chosen(name: string, content: Uint8Array | string): ChosenFile {
  return { name, mimeType: "", buffer: Buffer.from(content as string) };
}

/** Returns a package signed by the publisher, and its signature file. */
export function signedFiles(name: string, file: Uint8Array, publisher: Publisher): ChosenFile[] {
  return [chosen(`${name}.svcpkg`, file), chosen(`${name}.svcpkg.sig`, `${publisher.sign(file)}\n`)];
}

/** Returns an app that logs a line when it starts, and then sleeps until it is stopped. */
export async function greeter(line: string, fields: Partial<TestManifest> = {}): Promise<Uint8Array> {
  const module = await moduleOf(`(module
    (import "svc" "log" (func $log (param i32 i32 i32)))
    (import "svc" "sleep_ms" (func $sleep (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "${line}")
    (func (export "main")
      (call $log (i32.const 1) (i32.const 16) (i32.const ${line.length}))
      (loop $forever (call $sleep (i32.const 1000)) (br $forever))))`);
  return packageOf(module, { name: "greeter", ...fields });
}
