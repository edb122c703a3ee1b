/**
 * Installs from existing files: one that the shell names, or all in the `apps` directory of a drive
 * (docs/spec/apps.md#drive-files). A file is handled like an upload: it is copied first, and the checked copy is what
 * gets installed, whatever happens to the drive meanwhile.
 */

import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { VARIANT_ARCHITECTURES, type VariantArchitecture } from "../../../protocol/file-kind.js";
import { MANIFEST_LIMIT_BYTES } from "../../../protocol/manifest/manifest.js";
import type { Timer } from "../../../protocol/ports/runtime.js";
import { readSuccessionFile, SUCCESSION_TEXT_LIMIT } from "../../../protocol/signature/statements.js";
import type { ReadOnlyDirectory } from "../../ports/drives.js";
import type { Logger } from "../logs/log-line.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { eachPiece, readWhole, statusOf } from "../storage/stored-files.js";
import { SLICE_BYTES } from "./app-store.js";
import type { Apps } from "./apps.js";
import type { InstallOrigin, ManifestBeside } from "./install-file.js";
import type { Installer } from "./installer.js";
import type { Proofs } from "./signature-verifier.js";

export interface DriveInstallOptions {
  readonly apps: Apps;
  readonly installer: Installer;
  readonly scheduler: Scheduler;
  readonly timer: Timer;
  readonly logger: Logger;
}

/** What became of one file of a scan. */
export interface ScanResult {
  readonly file: string;
  /** `undefined` where it was refused. */
  readonly entry?: AppEntry;
  readonly refusal?: Fault;
}

/**
 * Files that one scan looks at, and the longest of their names: an attacker may choose them, and the heap is small
 * (docs/spec/apps.md#drive-limits).
 */
const FILES_LIMIT = 32;
const NAME_LIMIT = 64;
/** Entries of the directory that are passed over to find them, each of which takes a read of the drive. */
const ENTRIES_LIMIT = 1024;

/** Before a file is tried again that there was no memory for, or no turn: the scan is the console's own, and waits. */
const RETRY_MS = 500;

const APPS = "apps";
const PACKAGE = ".svcpkg";
const MODULE = ".wasm";

/** 128 digits and a line end or two. */
const SIGNATURE_LIMIT_BYTES = 256;

export class DriveInstall {
  readonly #options: DriveInstallOptions;

  constructor(options: DriveInstallOptions) {
    this.#options = options;
  }

  /**
   * Installs one file, with what lies beside it, unless what is installed is newer or another publisher's.
   * @throws {Fault} `file_not_found`, and every refusal of an install
   */
  installFile(drive: ReadOnlyDirectory, path: string): Promise<AppEntry> {
    return this.#install(drive, path, false);
  }

  /**
   * Installs every package and module in the drive's `apps` that is newer than what is installed. Refusals are
   * logged; none keeps the others out.
   */
  async scan(drive: ReadOnlyDirectory): Promise<ScanResult[]> {
    const results: ScanResult[] = [];
    for (const file of appFilesOn(drive, this.#options.logger))
      results.push(await this.#scanOne(drive, file));
    return results;
  }

  async #scanOne(drive: ReadOnlyDirectory, file: string): Promise<ScanResult> {
    const { logger } = this.#options;
    try {
      return { file, entry: await this.#installOnceThereIsRoom(drive, `${APPS}/${file}`) };
    } catch (error) {
      const refusal = error instanceof Fault ? error : unreadable(file, error);
      if (refusal.code === "app_not_newer") logger.info(`"${file}" is skipped: ${refusal.message}`);
      else logger.warning(`"${file}" is refused: ${refusal.message}`);
      return { file, refusal };
    }
  }

  async #installOnceThereIsRoom(drive: ReadOnlyDirectory, path: string): Promise<AppEntry> {
    for (;;) {
      try {
        return await this.#install(drive, path, true);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "busy") throw error;
      }
      await new Promise<void>((resolve) => this.#options.timer.set(resolve, RETRY_MS));
    }
  }

  async #install(drive: ReadOnlyDirectory, path: string, isNewerOnly: boolean): Promise<AppEntry> {
    if (!path.endsWith(MODULE)) return this.#copy(drive, path, originOf(isNewerOnly));
    const stem = path.slice(0, -MODULE.length);
    const manifest = await this.#manifestBeside(drive, `${stem}.json`);
    const name = stem.slice(stem.lastIndexOf("/") + 1);
    const origin = { ...originOf(isNewerOnly), name, ...(manifest && { manifest }) };
    try {
      return await this.#attachVariants(drive, stem, await this.#copy(drive, path, origin));
    } catch (error) {
      const installed = nameOfInstalled(error);
      if (installed !== undefined)
        await this.#attachVariants(drive, stem, this.#options.apps.entry(installed));
      throw error;
    }
  }

  async #manifestBeside(drive: ReadOnlyDirectory, path: string): Promise<ManifestBeside | undefined> {
    const json = readSmall(drive, path, MANIFEST_LIMIT_BYTES);
    if (!json) return undefined;
    const proofs = readProofsBeside(drive, path);
    if (proofs.signature === undefined) return { json, provenance: undefined };
    return { json, provenance: await this.#options.installer.requireSignature(json, proofs) };
  }

  /** The AOT files that the app does not have yet, which a new version never does. */
  async #attachVariants(drive: ReadOnlyDirectory, stem: string, installed: AppEntry): Promise<AppEntry> {
    let entry = installed;
    for (const architecture of VARIANT_ARCHITECTURES) {
      const path = `${stem}.${architecture}.aot`;
      if (!entry.variants.includes(architecture) && statusOf(drive, path)?.isFile())
        entry = await this.#attach(drive, path, architecture, entry);
    }
    return entry;
  }

  /** An app is whole without its AOT files, so one that is refused keeps nothing else out. */
  async #attach(
    drive: ReadOnlyDirectory,
    path: string,
    architecture: VariantArchitecture,
    entry: AppEntry,
  ): Promise<AppEntry> {
    const origin = { ...originOf(false), name: entry.name, architecture };
    try {
      return await this.#copy(drive, path, origin);
    } catch (error) {
      const refusal = error instanceof Fault ? error : unreadable(path, error);
      this.#options.logger.warning(`"${path}" is refused: ${refusal.message}`);
      return entry;
    }
  }

  async #copy(drive: ReadOnlyDirectory, path: string, origin: InstallOrigin): Promise<AppEntry> {
    requireFile(drive, path);
    const proofs = readProofsBeside(drive, path);
    const job = this.#options.installer.begin(origin);
    try {
      await eachPiece({ files: drive, scheduler: this.#options.scheduler }, path, SLICE_BYTES, (piece) =>
        job.write(piece),
      );
    } catch (error) {
      job.abort();
      throw error;
    }
    return job.complete(proofs);
  }
}

/** The app that is installed already, where that is why a file is left out. */
function nameOfInstalled(error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== "app_not_newer") return undefined;
  return error.details?.["name"] as string | undefined;
}

/** Packages and modules in alphabetical order, no more than can be kept in mind. */
function appFilesIn(drive: ReadOnlyDirectory): string[] {
  const names: string[] = [];
  if (!statusOf(drive, APPS)?.isDirectory()) return names;
  let entries = 0;
  for (const name of drive.scan(APPS)) {
    if (names.length === FILES_LIMIT || entries++ === ENTRIES_LIMIT) break;
    if (name.length <= NAME_LIMIT && (name.endsWith(PACKAGE) || name.endsWith(MODULE))) names.push(name);
  }
  return names.sort();
}

/** None where the drive has just been pulled out. */
function appFilesOn(drive: ReadOnlyDirectory, logger: Logger): string[] {
  try {
    return appFilesIn(drive);
  } catch (error) {
    logger.warning(`the drive cannot be read: ${String(error)}`);
    return [];
  }
}

/** Drives are pulled out while they are read. */
function unreadable(file: string, cause: unknown): Fault {
  return new Fault("file_not_found", `Cannot read "${file}": ${String(cause)}`, { cause });
}

function requireFile(drive: ReadOnlyDirectory, path: string): void {
  if (!statusOf(drive, path)?.isFile())
    throw new Fault("file_not_found", `"${path}" does not exist or is not a file`);
}

/** What `PATH.sig` and `PATH.succession` say, each where it is there. @throws {Fault} `file_too_large` */
function readProofsBeside(drive: ReadOnlyDirectory, path: string): Proofs {
  const signature = readSmall(drive, `${path}.sig`, SIGNATURE_LIMIT_BYTES);
  const succession = readSmall(drive, `${path}.succession`, SUCCESSION_TEXT_LIMIT);
  return {
    signature: signature && new TextDecoder().decode(signature).trim(),
    publisher: succession && { succession: readSuccessionFile(succession) },
  };
}

/** Who puts files on a drive has not asked for anything but the files. */
function originOf(isNewerOnly: boolean): InstallOrigin {
  return { requiresName: false, isNewerOnly, allowsDowngrade: false };
}

/** The whole of a small file, `undefined` where there is none. @throws {Fault} `file_too_large` */
function readSmall(drive: ReadOnlyDirectory, path: string, limitBytes: number): Uint8Array | undefined {
  const status = statusOf(drive, path);
  if (!status?.isFile()) return undefined;
  if (status.size > limitBytes) throw new Fault("file_too_large", `"${path}" is over ${limitBytes} bytes`);
  return readWhole(drive, path, limitBytes);
}
