/** Works out what installing a file would change on the console, for the confirmation dialog. */
import type { AppFile } from "../../device-client/app-file.js";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import type { AppEntry, SystemInfo } from "../../protocol/device/answers.js";
import { APP_NAME_RULE, isAppName, isSameApp } from "../../protocol/manifest/app-name.js";
import { compareVersions } from "../../protocol/version.js";

export interface PlannedCapability {
  readonly name: string;
  /** A sentence for the user. */
  readonly summary: string;
  /** Whether the installed version lacks this capability. */
  readonly isNew: boolean;
}

/** The part of a plan that `PlanView` shows, for installs from a file and through the hub. */
export interface ShownPlan {
  /** `undefined` for an AOT file, which has no version of its own. */
  readonly version: string | undefined;
  /** Size of the file. */
  readonly sizeBytes: number;
  /** Memory that the app may use; `undefined` for an AOT file, and if unknown. */
  readonly quotaBytes: number | undefined;
  readonly capabilities: readonly PlannedCapability[];
  /** The app that the file replaces, or to which the AOT file belongs. */
  readonly installed: Installed | undefined;
  /** Further consequences of the install, each a sentence. */
  readonly notes: readonly string[];
}

/** The installed app, as far as a plan needs it; without `state` if it comes from the hub. */
export type Installed = Pick<AppEntry, "version"> & {
  readonly capabilities: readonly string[];
  readonly state?: AppEntry["state"];
};

export interface InstallPlan extends ShownPlan {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  /** Whether the file is older than the installed version: confirming the plan requests the downgrade. */
  readonly isDowngrade: boolean;
  /** Why the file cannot be installed, and what to do; `undefined` if it can. */
  readonly obstacle: string | undefined;
}

/** The state of the console that a plan depends on. */
export interface PlanContext {
  readonly apps: readonly AppEntry[];
  readonly system: Pick<SystemInfo, "arch" | "storage">;
}

/** These defaults are for a module without a manifest (docs/spec/app-packages.md#no-manifest). */
const DEFAULT_NAME = "uploaded_app";
const DEFAULT_VERSION = "0.0.0";
const DEFAULT_QUOTA_BYTES = 65536;

/** @param askedName the name that the user has entered, for files that contain none */
export function planInstall(file: AppFile, askedName: string, context: PlanContext): InstallPlan {
  return file.kind === "variant" ? planVariant(file, askedName, context) : planApp(file, askedName, context);
}

/** Whether the user has to enter the app's name, because the file does not contain it. */
export function asksForName(file: AppFile): boolean {
  return file.kind === "variant" || file.manifest === undefined;
}

/** Suggests an app name from a file name, for example `bricks` for `bricks.xtensa.aot`. */
export function suggestedName(fileName: string): string {
  const [name = ""] = fileName.split(".");
  return isAppName(name) ? name : DEFAULT_NAME;
}

/** @returns the summary in `CAPABILITIES`, or `name` itself if it is not in the table */
export function capabilityInWords(name: string): string {
  return CAPABILITIES.find((capability) => capability.name === name)?.summary ?? name;
}

type ManifestFile = Exclude<AppFile, { readonly kind: "variant" }>;
type VariantFile = Extract<AppFile, { readonly kind: "variant" }>;

function planApp(file: ManifestFile, askedName: string, context: PlanContext): InstallPlan {
  const { bytes, manifest } = file;
  const name = manifest?.name ?? askedName;
  const version = manifest?.version ?? DEFAULT_VERSION;
  const installed = context.apps.find((app) => isSameApp(app.name, name));
  return {
    name,
    version,
    description: manifest?.description ?? "",
    author: manifest?.author ?? "",
    sizeBytes: bytes.length,
    quotaBytes: manifest?.memory_quota ?? DEFAULT_QUOTA_BYTES,
    capabilities: planCapabilities(manifest?.capabilities ?? [], installed),
    installed,
    notes: [
      ...imageNotes(file),
      ...replacementNotes(version, installed),
      ...spaceNotes(bytes.length, context),
    ],
    isDowngrade: isOlder(version, installed),
    obstacle: isAppName(name) ? otherArchitecture(manifest?.target_arch, context) : NOT_A_NAME,
  };
}

function imageNotes(file: ManifestFile): string[] {
  if (file.kind !== "package" || !file.isImageAlone) return [];
  return [
    `It is machine code for ${file.manifest.target_arch} alone: the console takes it only from a key with the role native.`,
  ];
}

function otherArchitecture(target = "generic", { system }: PlanContext): string | undefined {
  if (target === "generic" || target === system.arch) return undefined;
  return `This app is for ${target}, and this console is ${system.arch}.`;
}

function planVariant(
  { bytes, architecture }: VariantFile,
  askedName: string,
  context: PlanContext,
): InstallPlan {
  const { apps, system } = context;
  const installed = apps.find((app) => isSameApp(app.name, askedName));
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

const NOT_A_NAME = `A name has ${APP_NAME_RULE}.`;
