/**
 * Reads on XS the files `*.svcpkg` that a test has written, and traces the result of each as a line of JSON. Writes the
 * modules to storage, as an install does.
 */
import files from "embedded:storage/files";
import sandbox from "svc/sandbox";
import timer from "timer";
import { Fault } from "../../../protocol/fault.js";
import { type PackageMember, PackageReader } from "../../../protocol/package/package-reader.js";

const LIMIT_BYTES = 1 << 20;
const CHUNK_BYTES = 2048;

export default function main(): void {
  unpackNext([...files.scan()].filter((name) => name.endsWith(".svcpkg")).sort());
}

function unpackNext([name, ...rest]: readonly string[]): void {
  if (name === undefined) trace("done\n");
  else new Unpacking(name, () => unpackNext(rest)).step();
}

class Unpacking {
  readonly #name: string;
  readonly #onEnd: () => void;
  readonly #file;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  readonly #reader: PackageReader;
  readonly #members: string[] = [];
  #module: ReturnType<typeof files.openFile> | undefined;
  #moduleBytes = 0;
  #position = 0;

  constructor(name: string, onEnd: () => void) {
    this.#name = name;
    this.#onEnd = onEnd;
    this.#file = files.openFile({ path: name });
    this.#reader = new PackageReader({ unpackedLimitBytes: LIMIT_BYTES, sandbox, sink: this });
  }

  begin(member: PackageMember): void {
    this.#members.push(`${member.kind} ${member.byteLength}`);
    if (member.kind !== "module") return;
    this.#module = files.openFile({ path: `${this.#name}.module`, mode: "w" });
    this.#moduleBytes = 0;
  }

  write(bytes: Uint8Array): void {
    this.#module?.write(bytes, this.#moduleBytes);
    this.#moduleBytes += bytes.length;
  }

  end(): void {
    this.#module?.close();
    this.#module = undefined;
  }

  step(): void {
    const taken = this.#file.read(this.#chunk, this.#position);
    this.#position += taken;
    try {
      if (taken > 0) this.#reader.push(this.#chunk.subarray(0, taken));
      else this.#reader.end();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#report({ fault: error.code });
      return;
    }
    if (taken === 0) this.#report({ members: this.#members });
    else timer.set(() => this.step(), 0);
  }

  #report(result: object): void {
    trace(`${JSON.stringify({ name: this.#name, ...result })}\n`);
    this.#reader.close();
    this.#module?.close();
    this.#file.close();
    this.#onEnd();
  }
}
