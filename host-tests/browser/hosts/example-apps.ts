/** The example apps as files with their signatures beside them, as a user chooses or drops them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildApps } from "../../../sdk/build-apps.js";
import type { Publisher } from "../../hosts/publisher.js";

/** Those that are written in AssemblyScript, and need no compiler that a machine may lack. */
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

  /** The path of the package. */
  package(name: ExampleApp): string {
    return path.join(this.#directory, `${name}.svcpkg`);
  }

  /** Package and signature, as they are chosen together. */
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
