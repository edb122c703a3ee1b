/**
 * Whether one file may replace an installed app (docs/spec/apps.md#identity; docs/adr/0021). An app is identified by
 * its name and its publisher: another publisher's package of that name could read the app's stored data. Uploads, the
 * hub, drives and the shell all call this, the only place that decides it.
 */
import { Fault } from "../../../protocol/fault.js";
import { compareVersions } from "../../../protocol/version.js";

/** A publisher. Keys are 64 hexadecimal digits. */
export type Publisher = {
  /** Root of the signing key's certificate chain, or the signing key itself. */
  readonly publisher: string;
  /** The signing key. It identifies the publisher if the console learns the key's chain only later. */
  readonly signer: string;
};

/** The publisher of a file to install. */
export interface Provenance extends Publisher {
  /**
   * Other keys that this publisher's apps may be recorded under: its predecessors, and the key of the hub that signs
   * for it and once sent the app without a voucher.
   */
  readonly formerly: readonly string[];
  /** Whether the publisher's own key has the role `native`, so that machine code in the file may run. */
  readonly isNative: boolean;
  /** The key that the owner has added, if the console accepts the file for no other; 64 hexadecimal digits. */
  readonly ownerKey?: string;
}

/** The facts of an installed app that decide. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** Whether the manifest was signed with the app. */
  readonly isManifestSigned: boolean;
  /** Left out for unsigned apps. */
  readonly publisher?: string;
  readonly signer?: string;
}

export interface Candidate {
  readonly name: string;
  readonly version: string;
  readonly isManifestSigned: boolean;
  /** `undefined` for an unsigned app, if this build accepts them. */
  readonly provenance: Provenance | undefined;
}

/** What the source of the file permits. */
export interface ReplaceTerms {
  /** Whether to replace only by a newer version. */
  readonly isNewerOnly: boolean;
  /** Whether a downgrade was requested by a permitted source. */
  readonly allowsDowngrade: boolean;
}

export type Verdict = "yes" | "publisher_mismatch" | "signature_missing" | "app_not_newer" | "version_older";

/** @param installed the app of that name; `undefined` if there is none */
export function mayReplace(
  installed: Installed | undefined,
  candidate: Candidate,
  terms: ReplaceTerms,
): Verdict {
  if (!installed) return "yes";
  if (!isSamePublisher(installed, candidate.provenance)) return "publisher_mismatch";
  // An unsigned manifest beside a module must not take over the data of an app with a signed manifest.
  if (installed.isManifestSigned && !candidate.isManifestSigned) return "signature_missing";
  const difference = compareVersions(candidate.version, installed.version);
  if (terms.isNewerOnly && difference <= 0) return "app_not_newer";
  return difference < 0 && !terms.allowsDowngrade ? "version_older" : "yes";
}

/** Whether the recorded publisher is this one. An unsigned app has none, as only another unsigned file does. */
export function isSamePublisher(recorded: Partial<Publisher>, provenance: Provenance | undefined): boolean {
  const { publisher, signer } = recorded;
  if (publisher === undefined || !provenance) return publisher === provenance?.publisher;
  return (
    provenance.publisher === publisher ||
    provenance.signer === signer ||
    provenance.formerly.includes(publisher)
  );
}

/** @throws {Fault} with the code that {@link mayReplace} returns, unless it is "yes" */
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
