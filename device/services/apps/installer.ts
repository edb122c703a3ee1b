/**
 * Installs apps from files that arrive. Writes the file to the staging directory as it arrives; once the file is
 * complete, checks its signature, unpacks, validates and prepares it, and then the app store switches to it. Works in
 * slices, and never holds the file in the heap.
 *
 * One install at a time: uploads, the SD card and the shell all use this installer.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Crc32Constructor, DigestConstructor } from "../../../protocol/ports/digest.js";
import type { Memory } from "../../../protocol/ports/memory.js";
import type { Directory } from "../../ports/files.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import { HEAP_NEEDS } from "../heap/heap-needs.js";
import type { Logger } from "../logs/log.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { deleteTree, makeDirectories } from "../storage/tree.js";
import type { Apps } from "./apps.js";
import { InstallJob, type InstallOrigin } from "./install-job.js";
import type { Provenance } from "./may-replace.js";
import { STAGING } from "./paths.js";
import type { Proofs, SignatureVerifier } from "./signature-verifier.js";

export interface InstallerOptions {
  readonly files: Directory;
  readonly apps: Apps;
  readonly gate: SignatureVerifier;
  readonly scheduler: Scheduler;
  readonly Digest: DigestConstructor;
  readonly Crc32: Crc32Constructor;
  readonly memory: Memory;
  /** Promises an install what it takes; left out: there is always room. */
  readonly heap?: HeapAdmission | undefined;
  readonly logger: Logger;
  /** Largest file, and largest app unpacked, in bytes (`CONFIG_SVC_APP_MAX_SIZE_KB`). */
  readonly appLimitBytes: number;
  /** Of the console, as manifests name it. */
  readonly architecture: string;
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
   * Who published these bytes.
   * @throws {Fault} `signature_invalid` unless their signature holds
   */
  requireSignature(bytes: Uint8Array, proofs: Proofs): Promise<Provenance | undefined> {
    const digest = new this.#options.Digest("SHA256");
    digest.write(bytes);
    return this.#options.gate.require(new Uint8Array(digest.close()), proofs);
  }

  /**
   * Begins an install: its file is written to the job.
   * @throws {Fault} `upload_busy` while another one is under way, `busy` where there is no memory for one now
   */
  begin(origin: InstallOrigin): InstallJob {
    if (this.#job) throw new Fault("upload_busy", "Another app is being installed");
    const { files, heap } = this.#options;
    heap?.promise(HEAP_NEEDS.install);
    let hasEnded = false;
    try {
      deleteTree(files, STAGING);
      makeDirectories(files, STAGING);
      this.#job = new InstallJob(this.#options, origin, () => {
        if (hasEnded) return; // aborting what has failed at its end is nothing new
        hasEnded = true;
        this.#job = undefined;
        heap?.release(HEAP_NEEDS.install);
        deleteTree(files, STAGING);
      });
    } catch (error) {
      heap?.release(HEAP_NEEDS.install);
      throw error;
    }
    return this.#job;
  }
}
