/** What installing a file would do to the console, shown for confirmation. */
import type { AppFile } from "../../device-client/app-file.js";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import type { AppEntry, SystemInfo } from "../../protocol/device/answers.js";
import { isAppName } from "../../protocol/manifest/manifest.js";
import { compareVersions } from "../../protocol/version.js";

export interface PlannedCapability {
  readonly name: string;
  /** In words. */
  readonly summary: string;
  /** The version that is installed may not do it. */
  readonly isNew: boolean;
}

/** What would come, and what it may do, whichever way it comes. */
export interface ShownPlan {
  /** `undefined` for an AOT file, which has none of its own. */
  readonly version: string | undefined;
  /** What is sent. */
  readonly sizeBytes: number;
  /** Memory that the app may use; `undefined` for an AOT file, and where it is not known. */
  readonly quotaBytes: number | undefined;
  readonly capabilities: readonly PlannedCapability[];
  /** The app that is replaced, or that the AOT file is for. */
  readonly installed: Installed | undefined;
  /** What else is worth knowing before it is agreed to, a sentence each. */
  readonly notes: readonly string[];
}

/** What has to be known of an app that is replaced; the hub does not know whether it runs. */
export type Installed = Pick<AppEntry, "version"> & {
  readonly capabilities: readonly string[];
  readonly state?: AppEntry["state"];
};

export interface InstallPlan extends ShownPlan {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  /** It is older than what is installed: confirming the plan requests the downgrade. */
  readonly isDowngrade: boolean;
  /** Why it cannot be installed, and what to do. */
  readonly obstacle: string | undefined;
}

/** What is known of the console. */
export interface PlanContext {
  readonly apps: readonly AppEntry[];
  readonly system: Pick<SystemInfo, "arch" | "storage">;
}

/** Of a module that says nothing of itself (docs/spec/app-packages.md#no-manifest). */
export const DEFAULT_NAME = "uploaded_app";
const DEFAULT_VERSION = "0.0.0";
const DEFAULT_QUOTA_BYTES = 65536;

/**
 * @param askedName for files that have no name within them
 */
export function planInstall(file: AppFile, askedName: string, context: PlanContext): InstallPlan {
  return file.kind === "variant" ? planVariant(file, askedName, context) : planApp(file, askedName, context);
}

/** Whether the name of the app has to be said with the file. */
export function asksForName(file: AppFile): boolean {
  return file.kind === "variant" || file.manifest === undefined;
}

/** A name for such a file, from that of the file: `bricks` of `bricks.xtensa.aot`. */
export function suggestedName(fileName: string): string {
  const [name = ""] = fileName.split(".");
  return isAppName(name) ? name : DEFAULT_NAME;
}

/** Capabilities in the words of the table; unknown names stay as they are. */
export function capabilityInWords(name: string): string {
  return CAPABILITIES.find((capability) => capability.name === name)?.summary ?? name;
}

type ManifestFile = Exclude<AppFile, { readonly kind: "variant" }>;
type VariantFile = Extract<AppFile, { readonly kind: "variant" }>;

function planApp({ bytes, manifest }: ManifestFile, askedName: string, context: PlanContext): InstallPlan {
  const name = manifest?.name ?? askedName;
  const version = manifest?.version ?? DEFAULT_VERSION;
  const installed = context.apps.find((app) => app.name === name);
  return {
    name,
    version,
    description: manifest?.description ?? "",
    author: manifest?.author ?? "",
    sizeBytes: bytes.length,
    quotaBytes: manifest?.memory_quota ?? DEFAULT_QUOTA_BYTES,
    capabilities: planCapabilities(manifest?.capabilities ?? [], installed),
    installed,
    notes: [...replacementNotes(version, installed), ...spaceNotes(bytes.length, context)],
    isDowngrade: isOlder(version, installed),
    obstacle: isAppName(name) ? undefined : NOT_A_NAME,
  };
}

function planVariant(
  { bytes, architecture }: VariantFile,
  askedName: string,
  context: PlanContext,
): InstallPlan {
  const { apps, system } = context;
  const installed = apps.find((app) => app.name === askedName);
  const isForOthers = architecture !== system.arch;
  return {
    name: askedName,
    version: undefined,
    description: `Machine code for ${architecture}`,
    author: "",
    sizeBytes: bytes.length,
    quotaBytes: undefined,
    capabilities: [],
    installed,
    isDowngrade: false,
    notes: isForOthers ? [`This console is ${system.arch} and will not use it.`] : [],
    obstacle: installed ? undefined : `No app named "${askedName}" is installed. Install the app first.`,
  };
}

export function planCapabilities(
  names: readonly string[],
  installed: Installed | undefined,
): PlannedCapability[] {
  return names.map((name) => ({
    name,
    summary: capabilityInWords(name),
    isNew: installed !== undefined && !installed.capabilities.includes(name),
  }));
}

export function replacementNotes(version: string, installed: Installed | undefined): string[] {
  if (!installed) return [];
  const notes = ["The app’s data stays."];
  if (installed.state === "running") notes.push("It is running, and is stopped for the update.");
  if (isOlder(version, installed))
    notes.push(
      `This is older than the installed version (${installed.version}): most consoles downgrade over the cable only.`,
    );
  return notes;
}

function isOlder(version: string, installed: Installed | undefined): boolean {
  return installed !== undefined && compareVersions(version, installed.version) < 0;
}

function spaceNotes(sizeBytes: number, { system: { storage } }: PlanContext): string[] {
  return sizeBytes > storage.free_bytes
    ? ["The console may have too little space: uninstall an app first."]
    : [];
}

const NOT_A_NAME = "A name has 1 to 32 of a-z A-Z 0-9 _ - . and no dot at its start.";
