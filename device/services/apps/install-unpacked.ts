/** The last steps, which packages and modules share: prepare the module, then switch to the app. */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { APP_MEMORY_LIMIT_BYTES } from "../../../protocol/manifest/limits.js";
import { type Manifest, requireQuota } from "../../../protocol/manifest/manifest.js";
import { compareVersions } from "../../../protocol/version.js";
import type { StagedVariant } from "./app-store.js";
import type { InstallContext } from "./install-job.js";
import { prepareModule } from "./prepare-module.js";

export interface UnpackedApp {
  readonly manifest: Manifest;
  /** The manifest is part of what was signed, or is ours. */
  readonly isManifestSigned: boolean;
  /** The module as its publisher made it, in the staging directory. */
  readonly modulePath: string;
  readonly icon?: string;
  readonly variants: readonly StagedVariant[];
}

/** @throws {Fault} for what makes the module no app, `app_not_newer`, `download_mismatch`, `storage_full` */
export async function installUnpacked(context: InstallContext, unpacked: UnpackedApp): Promise<AppEntry> {
  const { apps, files, logger } = context;
  const manifest = named(context, unpacked.manifest);
  requireOrdered(context, manifest);
  requireNewer(context, manifest);
  requireRight(context, manifest, unpacked.isManifestSigned);
  const module = await prepareModule(context, unpacked.modulePath, manifest);
  requireQuota(manifest, {
    maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES,
    isScript: module.script !== undefined,
  });
  files.delete(unpacked.modulePath);
  const entry = await apps.install({ ...unpacked, manifest, module });
  logger.info(`installed "${manifest.name}" ${manifest.version}, ${entry.size_bytes} bytes`);
  return entry;
}

function named({ origin }: InstallContext, manifest: Manifest): Manifest {
  return origin.prefersName && origin.name !== undefined ? { ...manifest, name: origin.name } : manifest;
}

function requireOrdered({ origin: { ordered } }: InstallContext, { name, version }: Manifest): void {
  if (!ordered || (name === ordered.name && version === ordered.version)) return;
  throw new Fault(
    "download_mismatch",
    `The file is "${name}" ${version}, and "${ordered.name}" ${ordered.version} was ordered`,
  );
}

function requireNewer({ apps, origin }: InstallContext, { name, version }: Manifest): void {
  if (!origin.isNewerOnly || !apps.has(name)) return;
  const installed = apps.entry(name).version;
  if (compareVersions(version, installed) <= 0)
    throw new Fault(
      "app_not_newer",
      `"${name}" ${version} is not newer than ${installed}, which is installed`,
      { details: { name } },
    );
}

/**
 * A manifest that nobody has signed must not take the name, and with it the stored data, of an app that somebody
 * has.
 */
function requireRight({ apps }: InstallContext, { name }: Manifest, isManifestSigned: boolean): void {
  if (isManifestSigned || !apps.has(name) || !apps.isManifestSigned(name)) return;
  throw new Fault(
    "signature_missing",
    `Cannot replace "${name}": the manifest beside the module has no signature, and the installed one had`,
  );
}
