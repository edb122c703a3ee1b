/**
 * Installs apps from files: one that the shell names, or all in the `apps` directory of a drive
 * (docs/spec/apps.md#drive-files). A file is handled like an upload: it is copied first, and the checked copy is
 * installed, so removing the drive does no harm.
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
import { INSTALLED_APPS_LIMIT, SLICE_BYTES } from "./app-store.js";
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

/** Result of one file of a scan. */
export interface ScanResult {
  readonly file: string;
  /** `undefined` if it was rejected. */
  readonly entry?: AppEntry;
  readonly refusal?: Fault;
}

/**
 * Most app files of one scan, and their longest name: an attacker may choose them, and the heap is small
 * (docs/spec/apps.md#drive-limits). As many as can be installed.
 */
const FILES_LIMIT = INSTALLED_APPS_LIMIT;
const NAME_LIMIT = 64;
/** Most directory entries that a scan reads, since each takes an access to the drive. */
const ENTRIES_LIMIT = 1024;

/** Delay before a file is retried for which memory was short or another install was running. */
const RETRY_MS = 500;

/** Said after a scan with files beyond the limits. */
export const MORE_FILES = `The drive has more app files: at most ${FILES_LIMIT} are considered, with names of at most ${NAME_LIMIT} characters, of ${ENTRIES_LIMIT} entries.`;

const APPS = "apps";
const PACKAGE = ".svcpkg";
const MODULE = ".wasm";

/** 128 digits and up to two line ends. */
const SIGNATURE_LIMIT_BYTES = 256;

export class DriveInstall {
  readonly #options: DriveInstallOptions;

  constructor(options: DriveInstallOptions) {
    this.#options = options;
  }

  /**
   * Installs one file with the files beside it, unless the installed app is newer or another publisher's.
   * @throws {Fault} `file_not_found`, and every fault of an install
   */
  installFile(drive: ReadOnlyDirectory, path: string): Promise<AppEntry> {
    return this.#install(drive, path, false);
  }

  /**
   * Installs every package and module in the drive's `apps` that is newer than the installed app. A rejected file is
   * logged and does not stop the scan.
   * @param onResult called for each file: the results together do not fit the heap
   * @returns whether there are app files that the scan did not consider
   */
  async scan(drive: ReadOnlyDirectory, onResult: (result: ScanResult) => void): Promise<boolean> {
    const { logger } = this.#options;
    const { files, hasMore } = appFilesOn(drive, logger);
    for (const file of files) onResult(await this.#scanOne(drive, file));
    if (hasMore) logger.warning(MORE_FILES);
    return hasMore;
  }

  /** Scans the SD card, and keeps in `apps` what it has found. */
  async scanCard(card: ReadOnlyDirectory): Promise<void> {
    let files = 0;
    let refused = 0;
    const hasMore = await this.scan(card, ({ refusal }) => {
      files++;
      if (refusal && refusal.code !== "app_not_newer") refused++;
    });
    this.#options.apps.cardApps = { files, refused, ...(hasMore && { more: true as const }) };
  }

  async #scanOne(drive: ReadOnlyDirectory, file: string): Promise<ScanResult> {
    const { logger } = this.#options;
    try {
      return { file, entry: await this.#installWithRetries(drive, `${APPS}/${file}`) };
    } catch (error) {
      const refusal = error instanceof Fault ? error : unreadable(file, error);
      if (refusal.code === "app_not_newer") logger.info(`"${file}" is skipped: ${refusal.message}`);
      else logger.warning(`"${file}" is refused: ${refusal.message}`);
      return { file, refusal };
    }
  }

  async #installWithRetries(drive: ReadOnlyDirectory, path: string): Promise<AppEntry> {
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
    // Begins on an empty stack: below a request of the shell, the check of a manifest's signature has overflown it.
    await this.#options.scheduler.yield();
    if (!hasExtension(path, MODULE)) return this.#copy(drive, path, originOf(isNewerOnly));
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

  /** Attaches the AOT files that the app lacks; a new version lacks all. */
  async #attachVariants(drive: ReadOnlyDirectory, stem: string, installed: AppEntry): Promise<AppEntry> {
    let entry = installed;
    for (const architecture of VARIANT_ARCHITECTURES) {
      const path = `${stem}.${architecture}.aot`;
      if (!entry.variants.includes(architecture) && statusOf(drive, path)?.isFile())
        entry = await this.#attach(drive, path, architecture, entry);
    }
    return entry;
  }

  /** An app is complete without AOT files, so a rejected one is only logged. */
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
    const { body } = await job.end(proofs);
    return body;
  }
}

/** The name of the installed app, if that is why a file was rejected. */
function nameOfInstalled(error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== "app_not_newer") return undefined;
  return error.details?.["name"] as string | undefined;
}

interface AppFiles {
  /** In alphabetical order. */
  readonly files: readonly string[];
  /** Whether some are beyond the limits. */
  readonly hasMore: boolean;
}

function appFilesIn(drive: ReadOnlyDirectory): AppFiles {
  const files: string[] = [];
  let hasMore = false;
  if (!statusOf(drive, APPS)?.isDirectory()) return { files, hasMore };
  let entries = 0;
  for (const name of drive.scan(APPS)) {
    if (entries++ === ENTRIES_LIMIT) hasMore = true;
    else if (!isAppFile(name)) continue;
    else if (files.length === FILES_LIMIT || name.length > NAME_LIMIT) hasMore = true;
    else files.push(name);
    if (entries > ENTRIES_LIMIT || (hasMore && files.length === FILES_LIMIT)) break;
  }
  return { files: files.sort(), hasMore };
}

/** Hidden files are none: macOS puts `._game.svcpkg` beside each file that it copies to a card. */
function isAppFile(name: string): boolean {
  return !name.startsWith(".") && (hasExtension(name, PACKAGE) || hasExtension(name, MODULE));
}

/** Empty if the drive was just removed. */
function appFilesOn(drive: ReadOnlyDirectory, logger: Logger): AppFiles {
  try {
    return appFilesIn(drive);
  } catch (error) {
    logger.warning(`the drive cannot be read: ${String(error)}`);
    return { files: [], hasMore: false };
  }
}

/** Other computers write extensions in either case. */
function hasExtension(path: string, extension: string): boolean {
  return path.toLowerCase().endsWith(extension);
}

/** The drive may be removed while it is read. */
function unreadable(file: string, cause: unknown): Fault {
  return new Fault("file_not_found", `Cannot read "${file}": ${String(cause)}`, { cause });
}

function requireFile(drive: ReadOnlyDirectory, path: string): void {
  if (!statusOf(drive, path)?.isFile())
    throw new Fault("file_not_found", `"${path}" does not exist or is not a file`);
}

/** Content of `PATH.sig` and `PATH.succession`, if they exist. @throws {Fault} `file_too_large` */
function readProofsBeside(drive: ReadOnlyDirectory, path: string): Proofs {
  const signature = readSmall(drive, `${path}.sig`, SIGNATURE_LIMIT_BYTES);
  const succession = readSmall(drive, `${path}.succession`, SUCCESSION_TEXT_LIMIT);
  return {
    signature: signature && new TextDecoder().decode(signature).trim(),
    publisher: succession && { succession: readSuccessionFile(succession) },
  };
}

/** Files on a drive request neither a name nor a downgrade. */
function originOf(isNewerOnly: boolean): InstallOrigin {
  return { requiresName: false, isNewerOnly, allowsDowngrade: false };
}

/** Content of a small file, `undefined` if it does not exist. @throws {Fault} `file_too_large` */
function readSmall(drive: ReadOnlyDirectory, path: string, limitBytes: number): Uint8Array | undefined {
  const status = statusOf(drive, path);
  if (!status?.isFile()) return undefined;
  if (status.size > limitBytes) throw new Fault("file_too_large", `"${path}" is over ${limitBytes} bytes`);
  return readWhole(drive, path, limitBytes);
}
