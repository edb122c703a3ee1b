/**
 * Installs apps from received files. Writes a file to the staging directory as it arrives; once it is complete, checks
 * its signature, unpacks, validates and prepares it, and adds it to the app store. Works in slices, and never holds the
 * file in the heap.
 *
 * One install at a time: uploads, the SD card and the shell all use this installer.
 */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { type FileKind, FileKindReader } from "../../../protocol/file-kind.js";
import type { Digest } from "../../../protocol/ports/crypto.js";
import { HEAP_NEEDS } from "../heap/heap-admission.js";
import { AppendedFile, deleteTree, makeDirectories, storageFault } from "../storage/stored-files.js";
import type { UploadSink } from "../upload/upload-phase.js";
import { STAGING } from "./app-store.js";
import {
  type InstallContext,
  type InstallerOptions,
  type InstallOrigin,
  installModule,
  installPackage,
  installVariant,
} from "./install-file.js";
import type { Provenance } from "./may-replace.js";
import type { Proofs } from "./signature-verifier.js";

// The install of one file: a package, a bare module, or an AOT file.

/** The answer to the upload of an app. */
interface Installed {
  readonly status: number;
  readonly body: AppEntry;
}

export class InstallJob implements UploadSink {
  readonly #context: Omit<InstallContext, "provenance">;
  readonly #onEnd: () => void;
  readonly #digest: Digest;
  readonly #file: AppendedFile;
  readonly #kind = new FileKindReader();

  /** @param onEnd called once, when the job has ended and the staging directory is free */
  constructor(options: InstallerOptions, origin: InstallOrigin, onEnd: () => void) {
    this.#context = { ...options, origin, path: `${STAGING}/upload` };
    this.#onEnd = onEnd;
    this.#digest = new options.Digest("SHA256");
    this.#file = new AppendedFile(options.files, this.#context.path);
  }

  /**
   * Receives the next bytes of the file.
   * @throws {Fault} `media_type_unsupported` as soon as the file type is known to be unsupported, `file_too_large`,
   *   `storage_full`; the caller then calls `abort`
   */
  write(bytes: Uint8Array): void {
    if (this.#file.byteLength + bytes.length > this.#context.appLimitBytes)
      throw new Fault("file_too_large", `Cannot accept a file over ${this.#context.appLimitBytes} bytes`);
    this.#check(bytes);
    this.#digest.write(bytes);
    try {
      this.#file.write(bytes);
    } catch (error) {
      throw storageFault(error, "Cannot store the upload");
    }
  }

  /**
   * Installs the complete file.
   * @param proofs signature and publisher that came with the file
   * @throws {Fault} if the file is rejected; the installed apps are then unchanged
   */
  async end(proofs: Proofs): Promise<Installed> {
    try {
      this.#file.close();
      const digest = new Uint8Array(this.#digest.close());
      const kind = this.#kind.kind ?? unknownKind();
      const provenance = await this.#context.gate.require(digest, proofs);
      return { status: 200, body: await install(kind, { ...this.#context, provenance }) };
    } catch (error) {
      throw storageFault(error, "Cannot install the app");
    } finally {
      this.#onEnd();
    }
  }

  /** Deletes everything written so far. */
  abort(): void {
    this.#file.close();
    this.#onEnd();
  }

  #check(bytes: Uint8Array): void {
    this.#kind.push(bytes);
    if (this.#kind.isDecided && !this.#kind.kind) unknownKind();
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
    "Not an app: expected a package (.svcpkg), a WebAssembly module or an AOT file",
  );
}

export class Installer {
  readonly #options: InstallerOptions;
  #job: InstallJob | undefined;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  get appLimitBytes(): number {
    return this.#options.appLimitBytes;
  }

  /**
   * Verifies the signature of small files and returns their publisher.
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  requireSignature(bytes: Uint8Array, proofs: Proofs): Promise<Provenance | undefined> {
    const digest = new this.#options.Digest("SHA256");
    digest.write(bytes);
    return this.#options.gate.require(new Uint8Array(digest.close()), proofs);
  }

  /**
   * Starts an install; the caller writes the file to the job.
   * @throws {Fault} `upload_busy` while another install runs, `busy` if memory is short, `storage_full`
   */
  begin(origin: InstallOrigin): InstallJob {
    if (this.#job) throw new Fault("upload_busy", "Another app is being installed");
    const { files, heap } = this.#options;
    heap?.promise(HEAP_NEEDS.install);
    try {
      deleteTree(files, STAGING);
      makeDirectories(files, STAGING);
      this.#job = new InstallJob(this.#options, origin, () => {
        this.#job = undefined;
        heap?.release(HEAP_NEEDS.install);
        deleteTree(files, STAGING);
      });
    } catch (error) {
      heap?.release(HEAP_NEEDS.install);
      throw storageFault(error, "Cannot store the upload");
    }
    return this.#job;
  }
}
