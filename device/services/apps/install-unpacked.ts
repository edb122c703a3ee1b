/** The last steps, which packages and modules share: prepare the module, then switch to the app. */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { APP_MEMORY_LIMIT_BYTES } from "../../../protocol/manifest/limits.js";
import { type Manifest, requireQuota } from "../../../protocol/manifest/manifest.js";
import type { StagedVariant } from "./app-store.js";
import type { InstallContext } from "./install-job.js";
import { isSamePublisher, lookalikeOf, publisherMismatch, requireMayReplace } from "./may-replace.js";
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

/**
 * @throws {Fault} for what makes the module no app, `bad_request`, `publisher_mismatch`, `version_older`,
 *   `app_not_newer`, `download_mismatch`, `storage_full`
 */
export async function installUnpacked(context: InstallContext, unpacked: UnpackedApp): Promise<AppEntry> {
  const { apps, files, logger, provenance } = context;
  const { manifest } = unpacked;
  requireName(context, manifest);
  requireOrdered(context, manifest);
  requirePlace(context, unpacked);
  requireArchitecture(context, manifest);
  const module = await prepareModule(context, unpacked.modulePath, manifest);
  requireQuota(manifest, {
    maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES,
    isScript: module.script !== undefined,
  });
  files.delete(unpacked.modulePath);
  const publisher = provenance && { publisher: provenance.publisher, signer: provenance.signer };
  const variants = unpacked.variants.map((variant) => ({
    ...variant,
    isNative: provenance?.isNative === true,
  }));
  const entry = await apps.install({ ...unpacked, variants, publisher, module });
  logger.info(`installed "${manifest.name}" ${manifest.version}, ${entry.size_bytes} bytes`);
  return entry;
}

/** A name that was asked for is not signed: it names what has no name, and renames nothing. */
function requireName({ origin: { name: asked, requiresName } }: InstallContext, { name }: Manifest): void {
  if (!requiresName || asked === undefined || asked === name) return;
  throw new Fault("bad_request", `Cannot install "${name}" as "${asked}": its manifest says its name`);
}

function requireOrdered({ origin: { ordered } }: InstallContext, { name, version }: Manifest): void {
  if (!ordered || (name === ordered.name && version === ordered.version)) return;
  throw new Fault(
    "download_mismatch",
    `The file is "${name}" ${version}, and "${ordered.name}" ${ordered.version} was ordered`,
  );
}

function requirePlace(
  { apps, origin, provenance }: InstallContext,
  { manifest, isManifestSigned }: UnpackedApp,
): void {
  const { name, version } = manifest;
  const other = lookalikeOf(name, apps.names);
  if (other !== undefined && !isSamePublisher(apps.installed(other) ?? {}, provenance))
    throw publisherMismatch(other);
  requireMayReplace(apps.installed(name), { name, version, isManifestSigned, provenance }, origin);
}

/** The module may run on any console, but its packer has limited it to another architecture. */
function requireArchitecture({ architecture }: InstallContext, { name, target_arch }: Manifest): void {
  if (target_arch === "generic" || target_arch === architecture) return;
  throw new Fault(
    "module_unsupported",
    `"${name}" is made for ${target_arch} (target_arch), and this console is ${architecture}`,
  );
}
