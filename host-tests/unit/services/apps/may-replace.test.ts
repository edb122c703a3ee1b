/** Whose an app is (docs/spec/apps.md#publisher-mismatch). */
import { describe, expect, test } from "vitest";
import {
  type Installed,
  isSamePublisher,
  mayReplace,
  type Provenance,
  requireMayReplace,
  type Verdict,
} from "../../../../device/services/apps/may-replace.js";

const by = (publisher: string, fields: Partial<Provenance> = {}): Provenance => ({
  publisher,
  signer: publisher,
  formerly: [],
  isNative: false,
  ...fields,
});
const UNSIGNED = undefined;
const NO_PUBLISHER = {};

interface Case {
  readonly name: string;
  /** What is recorded of the installed app; left out: nothing is installed. */
  readonly recorded?: Partial<Installed>;
  readonly provenance: Provenance | undefined;
  readonly isManifestSigned?: boolean;
  readonly version?: string;
  readonly terms?: { readonly isNewerOnly?: boolean; readonly allowsDowngrade?: boolean };
  readonly verdict: Verdict;
}

const p = { publisher: "P", signer: "P" };

const PUBLISHERS: readonly Case[] = [
  { name: "a free name", provenance: by("P"), verdict: "yes" },
  { name: "a free name, without a signature", provenance: UNSIGNED, verdict: "yes" },
  { name: "its own publisher's app", recorded: p, provenance: by("P"), verdict: "yes" },
  { name: "another publisher's app", recorded: p, provenance: by("Q"), verdict: "publisher_mismatch" },
  {
    name: "another publisher's app with a newer version",
    recorded: p,
    provenance: by("Q"),
    version: "9.0.0",
    verdict: "publisher_mismatch",
  },
  {
    name: "another publisher's app, as a downgrade",
    recorded: p,
    provenance: by("Q"),
    terms: { allowsDowngrade: true },
    verdict: "publisher_mismatch",
  },
  {
    name: "an app with a publisher by a file without a signature",
    recorded: p,
    provenance: UNSIGNED,
    verdict: "publisher_mismatch",
  },
  {
    name: "an unsigned app by a signed file",
    recorded: NO_PUBLISHER,
    provenance: by("Q"),
    verdict: "publisher_mismatch",
  },
  {
    name: "an unsigned app by an unsigned file",
    recorded: NO_PUBLISHER,
    provenance: UNSIGNED,
    verdict: "yes",
  },
  {
    name: "an unsigned app by an unsigned file with an older version",
    recorded: NO_PUBLISHER,
    provenance: UNSIGNED,
    version: "1.0.0",
    verdict: "version_older",
  },
  {
    name: "an app under the same root, with a renewed certificate",
    recorded: { publisher: "root", signer: "leaf" },
    provenance: by("root", { signer: "renewed leaf" }),
    verdict: "yes",
  },
  {
    name: "an app of the same key, which now has a chain",
    recorded: { publisher: "K", signer: "K" },
    provenance: by("root", { signer: "K" }),
    verdict: "yes",
  },
  {
    name: "an app of a key that the new key succeeds",
    recorded: p,
    provenance: by("Q", { formerly: ["O", "P"] }),
    verdict: "yes",
  },
  {
    name: "an app of the key that succeeded the new one",
    recorded: { publisher: "Q", signer: "Q" },
    provenance: by("P"),
    verdict: "publisher_mismatch",
  },
  {
    name: "another publisher's app through a hub",
    recorded: { publisher: "P", signer: "P" },
    provenance: by("Q", { formerly: ["hub"] }),
    verdict: "publisher_mismatch",
  },
  {
    name: "an app that the same hub sent without a voucher",
    recorded: { publisher: "hub", signer: "hub" },
    provenance: by("P", { formerly: ["hub"] }),
    verdict: "yes",
  },
  {
    name: "an app with a publisher by the hub's own key, without a voucher",
    recorded: p,
    provenance: by("hub"),
    verdict: "publisher_mismatch",
  },
  {
    name: "an app with a signed manifest by one with an unsigned manifest",
    recorded: p,
    provenance: by("P"),
    isManifestSigned: false,
    verdict: "signature_missing",
  },
  {
    name: "an app with an unsigned manifest by one with an unsigned manifest",
    recorded: { ...p, isManifestSigned: false },
    provenance: by("P"),
    isManifestSigned: false,
    verdict: "yes",
  },
];

const VERSIONS: readonly Case[] = [
  { name: "the same version", recorded: p, provenance: by("P"), version: "2.0.0", verdict: "yes" },
  { name: "an older version", recorded: p, provenance: by("P"), version: "1.9.9", verdict: "version_older" },
  {
    name: "a version that is older by number, not by text",
    recorded: { ...p, version: "10.0.0" },
    provenance: by("P"),
    version: "9.0.0",
    verdict: "version_older",
  },
  {
    name: "an older version, as a downgrade",
    recorded: p,
    provenance: by("P"),
    version: "1.9.9",
    terms: { allowsDowngrade: true },
    verdict: "yes",
  },
  {
    name: "the same version on a drive",
    recorded: p,
    provenance: by("P"),
    version: "2.0.0",
    terms: { isNewerOnly: true },
    verdict: "app_not_newer",
  },
  {
    name: "an older version on a drive",
    recorded: p,
    provenance: by("P"),
    version: "1.9.9",
    terms: { isNewerOnly: true },
    verdict: "app_not_newer",
  },
  {
    name: "a newer version on a drive",
    recorded: p,
    provenance: by("P"),
    version: "2.0.1",
    terms: { isNewerOnly: true },
    verdict: "yes",
  },
  {
    name: "a newer version of another publisher on a drive",
    recorded: p,
    provenance: by("Q"),
    version: "2.0.1",
    terms: { isNewerOnly: true },
    verdict: "publisher_mismatch",
  },
];

function partsOf({ recorded, provenance, isManifestSigned = true, version = "2.0.0", terms }: Case) {
  const installed = recorded && { name: "tetris", version: "2.0.0", isManifestSigned: true, ...recorded };
  const candidate = { name: "tetris", version, isManifestSigned, provenance };
  return [installed, candidate, { isNewerOnly: false, allowsDowngrade: false, ...terms }] as const;
}

describe("Replacing", () => {
  for (const each of [...PUBLISHERS, ...VERSIONS])
    test(`${each.name}: ${each.verdict}`, () => expect(mayReplace(...partsOf(each))).toBe(each.verdict));
});

describe("A refusal", () => {
  const messageOf = (name: string): string => {
    const found = [...PUBLISHERS, ...VERSIONS].find((each) => each.name === name);
    try {
      requireMayReplace(...partsOf(found as Case));
    } catch (error) {
      return `${error}`;
    }
    return "";
  };

  test("of another publisher asks to uninstall first", () =>
    expect(messageOf("another publisher's app")).toContain("uninstall it first"));

  test("of an older version names the cable and the build option", () => {
    expect(messageOf("an older version")).toContain("over USB");
    expect(messageOf("an older version")).toContain("CONFIG_SVC_APP_ALLOW_DOWNGRADE");
  });

  test("does not exist for an allowed replacement", () => expect(messageOf("the same version")).toBe(""));
});

test("Any publisher can replace an app recorded without one, and only its own an app with one", () => {
  expect(isSamePublisher({}, UNSIGNED)).toBe(true);
  expect(isSamePublisher(p, by("Q", { signer: "Q" }))).toBe(false);
});
