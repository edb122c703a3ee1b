/**
 * Whether one file may replace an installed app (docs/spec/apps.md#identity; docs/adr/0021). An app is identified by
 * its name and its publisher: another publisher's package of that name would read the app's stored data. Uploads, the
 * hub, drives and the shell all call this, the only place that decides it.
 */
import { Fault } from "../../../protocol/fault.js";
import { compareVersions } from "../../../protocol/version.js";

/** Who published something. Keys in 64 hexadecimal digits. */
export type Publisher = {
  /** The root of the certificate chain of the key that signed, or that key. */
  readonly publisher: string;
  /** The key that signed: it stays the same publisher's where the console learns its chain only later. */
  readonly signer: string;
};

/** The publisher of a file to install. */
export interface Provenance extends Publisher {
  /**
   * Further keys that this publisher's apps may be recorded under: those that it has succeeded, and that of the hub
   * that signs for it, from before the hub distinguished publishers.
   */
  readonly formerly: readonly string[];
  /** A key of role `native` signed, so that machine code in the file may run. */
  readonly isNative: boolean;
}

/** What an app is recorded as. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** The manifest is part of what was signed. */
  readonly isManifestSigned: boolean;
  /** Left out of apps that version 0.1.0 installed, and of apps without a signature. */
  readonly publisher?: string;
  readonly signer?: string;
}

export interface Candidate {
  readonly name: string;
  readonly version: string;
  readonly isManifestSigned: boolean;
  /** `undefined`: it has no signature, and this build takes such apps. */
  readonly provenance: Provenance | undefined;
}

/** What the way says by which a file has come. */
export interface ReplaceTerms {
  /** Left alone unless the file is newer. */
  readonly isNewerOnly: boolean;
  /** An older version was asked for, in a way that may ask for it. */
  readonly allowsDowngrade: boolean;
}

export type Verdict = "yes" | "publisher_mismatch" | "signature_missing" | "app_not_newer" | "version_older";

/** @param installed the app of that name; `undefined` where there is none */
export function mayReplace(
  installed: Installed | undefined,
  candidate: Candidate,
  terms: ReplaceTerms,
): Verdict {
  if (!installed) return "yes";
  if (!isSamePublisher(installed, candidate.provenance)) return "publisher_mismatch";
  // A manifest beside a module needs no signature, so it must not take what a signed one holds.
  if (installed.isManifestSigned && !candidate.isManifestSigned) return "signature_missing";
  const difference = compareVersions(candidate.version, installed.version);
  if (terms.isNewerOnly && difference <= 0) return "app_not_newer";
  return difference < 0 && !terms.allowsDowngrade ? "version_older" : "yes";
}

/** Whether the recorded publisher is this one. A record without a publisher matches every one that may install. */
export function isSamePublisher(recorded: Partial<Publisher>, provenance: Provenance | undefined): boolean {
  const { publisher, signer } = recorded;
  if (publisher === undefined) return true;
  if (!provenance) return false;
  return (
    provenance.publisher === publisher ||
    provenance.signer === signer ||
    provenance.formerly.includes(publisher)
  );
}

/** @throws {Fault} what {@link mayReplace} says, in words */
export function requireMayReplace(
  installed: Installed | undefined,
  candidate: Candidate,
  terms: ReplaceTerms,
): void {
  const verdict = mayReplace(installed, candidate, terms);
  if (verdict !== "yes") throw refusal(verdict, candidate, installed?.version);
}

function refusal(
  verdict: Exclude<Verdict, "yes">,
  { name, version }: Candidate,
  installed: string | undefined,
): Fault {
  switch (verdict) {
    case "publisher_mismatch":
      return publisherMismatch(name);
    case "signature_missing":
      return new Fault(
        verdict,
        `Cannot replace "${name}": its manifest has no signature, but the installed one had`,
      );
    case "app_not_newer":
      return new Fault(verdict, `"${name}" ${version} is not newer than the installed ${installed}`, {
        details: { name },
      });
    case "version_older":
      return new Fault(
        verdict,
        `"${name}" ${version} is older than the installed ${installed}: use downgrade=true over USB, or elsewhere with CONFIG_SVC_APP_ALLOW_DOWNGRADE`,
      );
    default:
      return verdict satisfies never;
  }
}

export function publisherMismatch(name: string): Fault {
  return new Fault(
    "publisher_mismatch",
    `"${name}" is installed from another publisher: uninstall it first, which deletes its data`,
  );
}

/**
 * The name among `names` that differs from `name` only in case. File systems that ignore case would give both apps
 * one directory, and people take one for the other (docs/spec/apps.md#lookalike).
 */
export function lookalikeOf(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const lower = name.toLowerCase();
  return names.find((other) => other.toLowerCase() === lower);
}
