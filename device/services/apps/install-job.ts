/**
 * The install of one file: a package, a bare module, or an AOT file.
 */

import type { VariantArchitecture } from "../../../protocol/architecture.js";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { FILE_KIND_BYTES, type FileKind, fileKindOf } from "../../../protocol/file-kind.js";
import type { Digest } from "../../../protocol/ports/digest.js";
import { AppendedFile } from "../storage/appended-file.js";
import { storageFault } from "../storage/storage-fault.js";
import { installModule } from "./install-module.js";
import { installPackage } from "./install-package.js";
import { installVariant } from "./install-variant.js";
import type { InstallerOptions } from "./installer.js";
import type { Provenance } from "./may-replace.js";
import { STAGING } from "./paths.js";
import type { Proofs } from "./signature-verifier.js";

export interface ManifestBeside {
  readonly json: Uint8Array;
  /** Whose signature of its own it has, which holds; `undefined` where it has none. */
  readonly provenance: Provenance | undefined;
}

/** Where a file came from, as far as that matters to what becomes of it. */
export interface InstallOrigin {
  /** The name that was asked for. */
  readonly name?: string;
  /** The name was asked for: a manifest that says another one is refused. Else it is for what has no manifest. */
  readonly requiresName: boolean;
  /** The manifest beside a bare module; one within it wins. */
  readonly manifest?: ManifestBeside;
  /** The declared target of an AOT file. */
  readonly architecture?: VariantArchitecture;
  /** What is installed is replaced only by a newer version. */
  readonly isNewerOnly: boolean;
  /** An older version may take the place of what is installed: it was asked for, in a way that may ask for it. */
  readonly allowsDowngrade: boolean;
  /** The file as its order describes it: anything else is `download_mismatch`. */
  readonly ordered?: OrderedApp;
}

export interface OrderedApp {
  readonly name: string;
  readonly version: string;
}

/** What the parts of an install share. */
export interface InstallContext extends InstallerOptions {
  readonly origin: InstallOrigin;
  /** The file as it came. */
  readonly path: string;
  /** Who published the file; `undefined` where it has no signature. */
  readonly provenance: Provenance | undefined;
}

export class InstallJob {
  readonly #context: Omit<InstallContext, "provenance">;
  readonly #onEnd: () => void;
  readonly #digest: Digest;
  readonly #file: AppendedFile;
  readonly #head = new Uint8Array(FILE_KIND_BYTES);
  #kind: FileKind | undefined;

  /** @param onEnd called once, when the job is done or aborted: the staging directory is free again */
  constructor(options: InstallerOptions, origin: InstallOrigin, onEnd: () => void) {
    this.#context = { ...options, origin, path: `${STAGING}/upload` };
    this.#onEnd = onEnd;
    this.#digest = new options.Digest("SHA256");
    this.#file = new AppendedFile(options.files, this.#context.path);
  }

  /**
   * Takes the next bytes of the file.
   * @throws {Fault} `media_type_unsupported` as soon as it is known to be no kind of file that is taken,
   *   `file_too_large`, `storage_full`; `abort` is to follow
   */
  write(bytes: Uint8Array): void {
    if (this.#file.byteLength + bytes.length > this.#context.appLimitBytes)
      throw new Fault("file_too_large", `Cannot take a file over ${this.#context.appLimitBytes} bytes`);
    this.#look(bytes);
    this.#digest.write(bytes);
    try {
      this.#file.write(bytes);
    } catch (error) {
      throw storageFault(error, "Cannot keep the upload");
    }
  }

  /**
   * Installs the file, now that all of it is there.
   * @param proofs what came with it
   * @throws {Fault} for every reason not to; the list of apps is then as it was
   */
  async complete(proofs: Proofs): Promise<AppEntry> {
    try {
      this.#file.close();
      const digest = new Uint8Array(this.#digest.close());
      const kind = this.#kind ?? unknownKind();
      const provenance = await this.#context.gate.require(digest, proofs);
      return await install(kind, { ...this.#context, provenance });
    } catch (error) {
      throw storageFault(error, "Cannot install the app");
    } finally {
      this.#onEnd();
    }
  }

  /** Leaves nothing of what was written. */
  abort(): void {
    this.#file.close();
    this.#onEnd();
  }

  /** Recognises the kind of file by its first bytes, which may come one at a time. */
  #look(bytes: Uint8Array): void {
    const at = this.#file.byteLength;
    if (at >= FILE_KIND_BYTES) return;
    this.#head.set(bytes.subarray(0, FILE_KIND_BYTES - at), at);
    if (at + bytes.length < FILE_KIND_BYTES) return;
    this.#kind = fileKindOf(this.#head) ?? unknownKind();
  }
}

async function install(kind: FileKind, context: InstallContext): Promise<AppEntry> {
  switch (kind) {
    case "package":
      return installPackage(context);
    case "module":
      return installModule(context);
    case "variant":
      return installVariant(context);
    default:
      return kind satisfies never;
  }
}

function unknownKind(): never {
  throw new Fault(
    "media_type_unsupported",
    "This is no app: neither a package (.svcpkg), nor a WebAssembly module, nor an AOT file",
  );
}
