/** The example apps with their signature files, as a user chooses or drops them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildApps } from "../../../sdk/build-apps.js";
import type { Publisher } from "../../hosts/publisher.js";

/** The examples in AssemblyScript, which need no system compiler. */
const NAMES = ["bricks", "clock"] as const;
export type ExampleApp = (typeof NAMES)[number];

export class ExampleApps {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async build(publisher: Publisher): Promise<ExampleApps> {
    const directory = mkdtempSync(path.join(tmpdir(), "examples-"));
    const key = path.join(directory, "publisher.pem");
    writeFileSync(key, publisher.privatePem);
    await buildApps({ out: directory, key, only: NAMES });
    return new ExampleApps(directory);
  }

  static readonly names: readonly ExampleApp[] = NAMES;

  /** Returns the path of the package. */
  package(name: ExampleApp): string {
    return path.join(this.#directory, `${name}.svcpkg`);
  }

  /** Returns the paths of package and signature, to choose together. */
  files(name: ExampleApp): string[] {
    return [this.package(name), `${this.package(name)}.sig`];
  }

  bytes(name: ExampleApp): Promise<Uint8Array> {
    return readFile(this.package(name));
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
