/** Installs a bare module: its manifest is within it, beside it, or missing. */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import { APP_MEMORY_LIMIT_BYTES, MANIFEST_LIMIT_BYTES } from "../../../protocol/manifest/limits.js";
import { type Manifest, readManifest } from "../../../protocol/manifest/manifest.js";
import { ModuleSections } from "../../../protocol/module-sections.js";
import type { InstallContext, ManifestBeside } from "./install-job.js";
import { installUnpacked } from "./install-unpacked.js";
import { DEFAULT_NAME, DEFAULT_QUOTA_BYTES, SLICE_BYTES } from "./limits.js";
import { isSamePublisher } from "./may-replace.js";
import { eachPiece } from "./pieces.js";

const MANIFEST_SECTION = "svc_manifest";

/** @throws {Fault} for what makes the module or its manifest no app */
export async function installModule(context: InstallContext): Promise<AppEntry> {
  const sections = new ModuleSections([{ name: MANIFEST_SECTION, keepBytes: MANIFEST_LIMIT_BYTES }]);
  await eachPiece(context, context.path, SLICE_BYTES, (piece) => sections.write(piece));
  sections.end();
  const embedded = sections.find(MANIFEST_SECTION)?.content;
  const beside = embedded ? undefined : context.origin.manifest;
  const manifest = manifestFor(context, embedded ?? beside?.json);
  const isManifestSigned = !beside || beside.provenance !== undefined;
  requireOnePublisher(context, manifest.name, beside);
  return installUnpacked(context, { manifest, isManifestSigned, modulePath: context.path, variants: [] });
}

/** Else a module of one publisher would run as the app of another one, whose manifest lies beside it. */
function requireOnePublisher(
  { provenance }: InstallContext,
  name: string,
  beside: ManifestBeside | undefined,
): void {
  if (!beside?.provenance || isSamePublisher(beside.provenance, provenance)) return;
  throw new Fault(
    "publisher_mismatch",
    `Cannot install "${name}": another publisher has signed the module than the manifest beside it`,
  );
}

function manifestFor({ origin }: InstallContext, json: Uint8Array | undefined): Manifest {
  if (json) return readManifest(json, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  const { name = DEFAULT_NAME } = origin;
  if (!isAppName(name))
    throw new Fault("manifest_invalid", `"${name}" cannot be the name of an app`, {
      details: { field: "name" },
    });
  return {
    name,
    version: "0.0.0",
    description: "",
    author: "",
    capabilities: [],
    memory_quota: DEFAULT_QUOTA_BYTES,
    entry: "main",
    target_arch: "generic",
  };
}
