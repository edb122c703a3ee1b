/** What a roles line makes of the key after it (docs/spec/keys.md#roles-malformed, docs/spec/keys.md#roles). */
import { describe, expect, test } from "vitest";
import { KEY_ROLES, type KeyRole, rolesLine } from "../../../../protocol/keys/pem-reader.js";
import { CandidateKeysReader, readTrustedKeys } from "../../../../protocol/keys/trusted-keys.js";
import { nodeBase64, nodeSignatures } from "../../../hosts/node-bytes.js";
import { type CertificateFields, newKeys, pem, writeCertificate } from "./certificate-writer.js";

const [ROOT, MIDDLE, LEAF] = [newKeys(), newKeys(), newKeys()];
const KEY = pem("PUBLIC KEY", LEAF.spki);
const OTHER = pem("PUBLIC KEY", ROOT.spki);
const certificate = (fields: CertificateFields) => pem("CERTIFICATE", writeCertificate(fields));
const root = certificate({ subject: "root", keys: ROOT, isAuthority: true });
const middle = certificate({
  subject: "middle",
  keys: MIDDLE,
  issuer: "root",
  signer: ROOT,
  isAuthority: true,
});
const leaf = certificate({ subject: "leaf", keys: LEAF, issuer: "middle", signer: MIDDLE });

const read = (file: string) => readTrustedKeys(file, { base64: nodeBase64, ...nodeSignatures });
async function rolesIn(file: string): Promise<(readonly KeyRole[])[]> {
  return (await read(file)).keys.map(({ roles }) => roles);
}

function candidates(file: string, role: KeyRole): Uint8Array[] {
  const keys: Uint8Array[] = [];
  const onKey = (key: Uint8Array) => void keys.push(key.slice());
  const reader = new CandidateKeysReader({ base64: nodeBase64, role, onKey });
  reader.write(new TextEncoder().encode(file));
  reader.end();
  return keys;
}

describe("A roles line gives the next key", () => {
  const LINES: readonly { line: string; roles: readonly KeyRole[] }[] = [
    { line: "# roles: app\n", roles: ["app"] },
    { line: "# roles: firmware, app\n", roles: ["app", "firmware"] },
    { line: "# roles:native,hub \r\n", roles: ["hub", "native"] },
    { line: "# roles: app, app\n", roles: ["app"] },
    { line: "# roles: app\nAda's key\n\n", roles: ["app"] },
    { line: "# roles: app, hub\n# roles: app, firmware\n", roles: ["app"] },
    { line: rolesLine(KEY_ROLES), roles: KEY_ROLES },
    { line: "# The key of Ada, who signs apps\n", roles: KEY_ROLES },
    { line: "The key of J\u00f6rg\n", roles: KEY_ROLES },
    { line: "", roles: KEY_ROLES },
  ];
  for (const { line, roles } of LINES)
    test(`${roles.join(", ")} for ${JSON.stringify(line)}`, async () => {
      expect(await rolesIn(line + KEY)).toEqual([roles]);
      for (const role of KEY_ROLES)
        expect(candidates(line + KEY, role)).toHaveLength(roles.includes(role) ? 1 : 0);
    });

  test("and not the key after that one, which has every role by default", async () => {
    const { keys } = await read(
      `# roles: app\n${KEY}${OTHER}${rolesLine(KEY_ROLES)}${pem("PUBLIC KEY", MIDDLE.spki)}`,
    );
    expect(keys.map(({ roles }) => roles)).toEqual([["app"], KEY_ROLES, KEY_ROLES]);
    expect(keys.map(({ hasEveryRoleByDefault }) => hasEveryRoleByDefault)).toEqual([false, true, false]);
  });

  test("and a key under two lines is listed for each, with that line's roles", async () => {
    expect(await rolesIn(`# roles: app\n${KEY}# roles: hub\n${KEY}`)).toEqual([["app"], ["hub"]]);
  });
});

describe("A block that is broken takes no roles line from the next one, where it", () => {
  const BROKEN: readonly { name: string; block: string }[] = [
    { name: "lacks its end", block: KEY.replace(/-----END.*\n/, "") },
    { name: "lacks its end and half of its base64", block: `${KEY.slice(0, 50)}\n` },
    { name: "ends with one dash too few", block: KEY.replace("END PUBLIC KEY-----", "END PUBLIC KEY----") },
    { name: "ends as another block", block: KEY.replace("END PUBLIC", "END PRIVATE") },
    { name: "begins with one dash too few", block: KEY.replace("-----BEGIN", "----BEGIN") },
  ];
  for (const { name, block } of BROKEN)
    test(name, async () => {
      expect(await rolesIn(`${block}# roles: app\n${OTHER}`)).toEqual([["app"]]);
      expect(candidates(`${block}# roles: app\n${OTHER}`, "firmware")).toEqual([]);
      expect((await read(`${block}# roles: app\n${OTHER}`)).problems).not.toEqual([]);
    });
});

describe("A roles line that cannot be read makes the key unusable, and is reported:", () => {
  const BROKEN = [
    "# roles: app, everything",
    "# roles:",
    "# roles: app,",
    "# roles: App",
    "# roles: app firmware",
    "#roles: app",
    "## roles: app",
    " # roles: app",
    "# Roles: app",
    "# role: app",
    "# roles = app",
    "\ufeff# roles: app",
    "Ada's key # roles: app",
    "roles: app",
    "#\u00a0roles: app",
    "#\u200broles: app",
    "# r\u043eles: app",
    "#\0 \0r\0o\0l\0e\0s\0:\0 \0a\0p\0p\0",
    "// roles: app",
    "# The role of this key is to sign apps",
    `${" ".repeat(5000)}# roles: app`,
    `# roles: app${", app".repeat(40)}`,
    `# roles: app${" ".repeat(5000)}, hub`,
    "# roles: app\n# roles: firmware",
  ];
  for (const line of BROKEN)
    test(JSON.stringify(line.slice(0, 40)), async () => {
      for (const block of [KEY, root]) {
        const { keys, problems } = await read(`${line}\n${block}${OTHER}`);
        expect(keys).toHaveLength(1);
        expect(keys[0]?.publicKey).toEqual(ROOT.publicKey);
        expect(problems).toEqual([expect.stringContaining("is not used: its roles line names no role")]);
        expect(candidates(`${line}\n${block}`, "firmware")).toEqual([]);
      }
    });

  test("also within an unfinished block", async () => {
    const { keys, problems } = await read(`${KEY.replace(/-----END.*\n/, "")}# roles: everything\n${OTHER}`);
    expect(keys).toEqual([]);
    expect(problems).toEqual([
      expect.stringContaining("does not end"),
      expect.stringContaining("is not used"),
    ]);
  });

  test("also without a block after it", async () => {
    const { keys, problems } = await read(`${KEY}# roles: app\n`);
    expect(keys).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining("no block follows the roles line")]);
  });
});

describe("A certificate", () => {
  const CHAINS: readonly { name: string; file: string; roles: readonly KeyRole[] }[] = [
    {
      name: "has the roles of its root",
      file: `# roles: app, hub\n${root}${middle}${leaf}`,
      roles: ["app", "hub"],
    },
    {
      name: "keeps those of its roles that its issuers have, in any order of the file",
      file: `# roles: firmware, app\n${leaf}# roles: app, hub\n${middle}# roles: app, firmware\n${root}`,
      roles: ["app"],
    },
    {
      name: "has its own roles under issuers without a line",
      file: `${root}${middle}# roles: hub\n${leaf}`,
      roles: ["hub"],
    },
  ];
  for (const { name, file, roles } of CHAINS)
    test(name, async () => {
      const { keys, problems } = await read(file);
      const key = keys.find(({ label }) => label === "leaf");
      expect(key).toMatchObject({ roles, hasEveryRoleByDefault: false });
      expect(key?.publisher).toEqual(ROOT.publicKey);
      expect(problems).toEqual([]);
    });

  test("is unusable, and reported, if it shares no role with its issuer", async () => {
    const { keys, problems } = await read(`# roles: app\n${root}${middle}# roles: firmware\n${leaf}`);
    expect(keys.map(({ label }) => label)).toEqual(["root", "middle"]);
    expect(problems).toEqual([expect.stringContaining('certificate "leaf" has no role')]);
  });

  test("is not trusted through an issuer whose roles line cannot be read", async () => {
    const { keys } = await read(`${root}# roles: all\n${middle}${leaf}`);
    expect(keys.map(({ label }) => label)).toEqual(["root"]);
  });

  test("without a roles line in its chain has every role by default", async () => {
    const { keys } = await read(root + middle + leaf);
    expect(keys.every(({ hasEveryRoleByDefault }) => hasEveryRoleByDefault)).toBe(true);
  });
});

test("The publisher of a PUBLIC KEY is the key itself", async () => {
  const [key] = (await read(KEY)).keys;
  expect(key?.publisher).toEqual(LEAF.publicKey);
});
