/** Directories with the sources of apps, for tests of compilers, and runs of what they make. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { AppHost } from "./app-host.js";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export class AppDirectories {
  readonly #temporary = temporaryDirectory();
  #count = 0;

  /** Of all of them. */
  get path(): string {
    return this.#temporary.path;
  }

  /** A new directory with those files beside a manifest. */
  make(files: Files, memory_quota = 65536): string {
    const directory = path.join(this.path, `app-${++this.#count}`);
    const manifest = { name: "app", version: "1.0.0", capabilities: [], memory_quota };
    for (const [name, text] of Object.entries({ "manifest.json": JSON.stringify(manifest), ...files })) {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return directory;
  }

  remove(): void {
    this.#temporary.remove();
  }
}

export function run(module: Uint8Array): AppHost & { readonly result: number | "stopped" } {
  const host = new AppHost();
  return Object.assign(host, { result: host.run(module, () => undefined) });
}
