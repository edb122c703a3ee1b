/** The install of an app on an emulated console, from the arriving bytes to the installed app. */
import { AppUpload } from "../../../../device/services/apps/app-endpoints.js";
import { DriveInstall } from "../../../../device/services/apps/drive-install.js";
import type { InstallOrigin } from "../../../../device/services/apps/install-file.js";
import { Installer } from "../../../../device/services/apps/installer.js";
import { SignatureVerifier } from "../../../../device/services/apps/signature-verifier.js";
import type { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { makeDirectories } from "../../../../device/services/storage/stored-files.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";
import type { AppEntry } from "../../../../protocol/device/answers.js";
import type { Timer } from "../../../../protocol/ports/runtime.js";
import type { PublisherTexts } from "../../../../protocol/signature/statements.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { NodeDigest, nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { type EmulatedApps, emulatedApps, listOf } from "./emulated-apps.js";

const sandbox = await loadSandbox(["inflater", "validator"]);

/** A timer that shortens waits to 1 ms, and runs callbacks without a delay as microtasks. */
const soon = {
  set: (callback: () => void, delayMs: number) =>
    delayMs > 0 ? setTimeout(callback, 1) : queueMicrotask(callback),
} as unknown as Timer;

export interface EmulatedInstaller extends EmulatedApps {
  readonly storage: EmulatedStorage;
  readonly installer: Installer;
  readonly upload: AppUpload;
  readonly drives: DriveInstall;
  /** Installs a file that comes in pieces. */
  install(file: Uint8Array, options?: InstallOptions): Promise<AppEntry>;
}

export interface InstallOptions {
  /** By default the publisher's; `null` for none. */
  readonly signature?: string | null;
  /** Evidence of the publisher besides the signature. */
  readonly publisher?: PublisherTexts;
  readonly origin?: Partial<InstallOrigin>;
  readonly pieceBytes?: number;
}

export const publisher = new Publisher();

/** Writes the publisher's key where firmware leaves it. */
export function trust(storage: EmulatedStorage, pem = publisher.pem): void {
  makeDirectories(storage.files, "hub");
  const file = storage.files.openFile({ path: "hub/trusted_keys.pem", mode: "w" });
  file.write(new TextEncoder().encode(pem), 0);
  file.flush();
  file.close();
}

export interface InstallerFacts {
  readonly storage?: EmulatedStorage;
  readonly allowsUnsigned?: boolean;
  readonly appLimitBytes?: number;
  readonly downgradesAnywhere?: boolean;
  readonly heap?: HeapAdmission;
  /** What runs the apps. */
  readonly Guest?: typeof EmulatedGuest;
}

/** What a boot makes of `storage`. */
export function emulatedInstaller({
  storage = new EmulatedStorage(),
  allowsUnsigned = false,
  appLimitBytes = 1024 * 1024,
  downgradesAnywhere = false,
  heap,
  Guest = EmulatedGuest,
}: InstallerFacts = {}): EmulatedInstaller {
  const emulated = emulatedApps({ storage, Guest });
  const { files } = storage;
  const { apps, log } = emulated;
  const logger = log.loggerFor("apps");
  const scheduler = new Scheduler(soon);
  const trustedKeys = new TrustedKeysFile({
    files,
    scheduler,
    logger,
    ...nodeSignatures,
    base64: nodeBase64,
    memory: nodeMemory,
  });
  const gate = new SignatureVerifier({ ...nodeSignatures, scheduler, logger, trustedKeys, allowsUnsigned });
  const installer = new Installer({
    files,
    apps,
    gate,
    scheduler,
    logger,
    appLimitBytes,
    architecture: "native",
    Digest: NodeDigest,
    sandbox,
    memory: nodeMemory,
    heap,
    machine: Guest.machine,
  });
  const install = async (file: Uint8Array, options: InstallOptions = {}): Promise<AppEntry> => {
    const { signature = publisher.sign(file), origin, pieceBytes = 2048 } = options;
    const job = installer.begin({
      requiresName: false,
      isNewerOnly: false,
      allowsDowngrade: false,
      ...origin,
    });
    try {
      for (let at = 0; at < file.length; at += pieceBytes) job.write(file.subarray(at, at + pieceBytes));
    } catch (error) {
      if (!storage.isOff) job.abort();
      throw error;
    }
    const { body } = await job.end({ signature: signature ?? undefined, publisher: options.publisher });
    return body;
  };
  const drives = new DriveInstall({ apps, installer, scheduler, timer: soon, logger });
  const upload = new AppUpload(installer, downgradesAnywhere);
  return { ...emulated, storage, installer, upload, drives, install };
}

/** A console that trusts the publisher. */
export function trustingInstaller(options: Parameters<typeof emulatedInstaller>[0] = {}): EmulatedInstaller {
  const storage = options?.storage ?? new EmulatedStorage();
  trust(storage);
  return emulatedInstaller({ ...options, storage });
}

/** What a refused install must leave as it was. */
export function traceOf({ apps, storage }: EmulatedInstaller): unknown {
  const { files } = storage;
  const names = (path: string): string[] =>
    [...files.scan(path)].flatMap((name) => {
      const at = `${path}/${name}`;
      return files.status(at).isDirectory() ? [at, ...names(at)] : [at];
    });
  const isThere = [...files.scan()].includes("apps");
  return {
    list: listOf(apps),
    free: storage.capacity().freeBytes,
    names: isThere ? names("apps").sort() : [],
  };
}
