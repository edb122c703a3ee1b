import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SMALLEST_CERTIFICATE_BYTES } from "../../../../protocol/keys/certificate-store.js";
import { PROBLEMS_LIMIT, SIGNATURE_CHECKS_LIMIT } from "../../../../protocol/keys/pem-reader.js";
import {
  readTrustedKeys,
  type TrustedKey,
  type TrustedKeys,
  type TrustedKeysOptions,
  TrustedKeysReader,
} from "../../../../protocol/keys/trusted-keys.js";
import type { Ed25519 } from "../../../../protocol/ports/crypto.js";
import type { Memory } from "../../../../protocol/ports/runtime.js";
import { nodeBase64, nodeSignatures } from "../../../hosts/node-bytes.js";
import { isMissing } from "../../../hosts/peers.js";
import { bitsInTier } from "../../../tier.js";
import { smallOrderVectors } from "../signature/vectors.js";
import { type CertificateFields, newKeys, pem, writeCertificate } from "./certificate-writer.js";

const PORTS = { base64: nodeBase64, ...nodeSignatures };
const read = (file: string, options: Partial<TrustedKeysOptions & { pause: () => Promise<void> }> = {}) =>
  readTrustedKeys(file, { ...PORTS, ...options });
const labels = ({ keys }: TrustedKeys) => keys.map(({ label }) => label);

const ROOT = newKeys();
const MIDDLE = newKeys();
const LEAF = newKeys();
const OTHER = newKeys();

/** What the reader has to give. */
function keysOf(reader: TrustedKeysReader): TrustedKey[] {
  const keys: TrustedKey[] = [];
  for (let key = reader.nextKey(); key; key = reader.nextKey()) keys.push(key);
  return keys;
}

/** How many slices of work there are in a file: each waits for its turn. */
async function turnsOf(file: string): Promise<number> {
  let turns = 0;
  const pause = async () => {
    turns++;
  };
  await read(file, { pause });
  return turns;
}

/** A file of certificates. */
const file = (...certificates: readonly CertificateFields[]) =>
  certificates.map((fields) => pem("CERTIFICATE", writeCertificate(fields))).join("");

const root = { subject: "root", keys: ROOT, isAuthority: true } as const;
const middle = { subject: "middle", keys: MIDDLE, issuer: "root", signer: ROOT, isAuthority: true } as const;
const leaf = { subject: "leaf", keys: LEAF, issuer: "middle", signer: MIDDLE } as const;

const at = (date: string) => Date.parse(`${date}Z`);

describe("Public keys", () => {
  test("are all trusted, each once, and named by their first digits", async () => {
    const trusted = await read([ROOT, LEAF, ROOT].map(({ spki }) => pem("PUBLIC KEY", spki)).join("text\n"));
    expect(trusted.keys.map(({ publicKey }) => publicKey)).toEqual([ROOT.publicKey, LEAF.publicKey]);
    expect(labels(trusted)[0]).toBe(Buffer.from(ROOT.publicKey.subarray(0, 8)).toString("hex"));
    expect(trusted.problems).toEqual([]);
  });

  const spki = (prefix: string, key: Uint8Array) => Buffer.concat([Buffer.from(prefix, "hex"), key]);
  const USELESS = {
    "an X25519 key": spki("302a300506032b656e032100", LEAF.publicKey),
    "an Ed448 key": spki("3043300506032b6571033a00", Buffer.alloc(57)),
    "a key without its last byte": spki("302a300506032b6570032100", LEAF.publicKey.subarray(1)),
    "a key with a byte after it": spki(
      "302a300506032b6570032100",
      Buffer.concat([LEAF.publicKey, Buffer.of(0)]),
    ),
    "a key that is no point": spki("302a300506032b6570032100", Buffer.of(2, ...Buffer.alloc(31))),
    "a key of small order": spki("302a300506032b6570032100", Buffer.of(1, ...Buffer.alloc(31))),
    nothing: Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries(USELESS))
    test(`are not trusted when one is ${name}, and the next one is`, async () => {
      const trusted = await read(pem("PUBLIC KEY", bytes) + pem("PUBLIC KEY", ROOT.spki));
      expect(trusted.keys).toHaveLength(1);
      expect(trusted.problems).toEqual([expect.stringMatching(/^line 1: PUBLIC KEY cannot be used: /)]);
    });

  test.skipIf(isMissing("testdata"))(
    "of small order are never trusted (skipped without testdata)",
    async () => {
      for (const { publicKey } of smallOrderVectors().slice(0, 196)) {
        const trusted = await read(pem("PUBLIC KEY", spki("302a300506032b6570032100", publicKey)));
        expect(trusted.keys).toEqual([]);
      }
    },
  );

  test("are returned with the piece in which they end, once", () => {
    const reader = new TrustedKeysReader(PORTS);
    const bytes = new TextEncoder().encode([ROOT, LEAF].map(({ spki }) => pem("PUBLIC KEY", spki)).join(""));
    const half = bytes.length / 2;
    reader.write(bytes.subarray(0, half - 1));
    expect(reader.nextKey()).toBeUndefined();
    reader.write(bytes.subarray(half - 1, half));
    expect(reader.nextKey()?.publicKey).toEqual(ROOT.publicKey);
    expect(reader.nextKey()).toBeUndefined();
    reader.write(bytes.subarray(half));
    expect(reader.nextKey()?.publicKey).toEqual(LEAF.publicKey);
    expect(reader.nextKey()).toBeUndefined();
  });

  test("may be 1000, of which at most those of one piece are held", async () => {
    const foreign = Array.from({ length: 999 }, () => pem("PUBLIC KEY", newKeys().spki));
    const bytes = new TextEncoder().encode(`${foreign.join("")}${pem("PUBLIC KEY", LEAF.spki)}`);
    const reader = new TrustedKeysReader(PORTS);
    const counts: number[] = [];
    let last: TrustedKey | undefined;
    for (let at = 0; at < bytes.length; at += 2048) {
      reader.write(bytes.subarray(at, at + 2048));
      const keys = keysOf(reader);
      counts.push(keys.length);
      last = keys.at(-1) ?? last;
    }
    await reader.end();
    expect(keysOf(reader)).toEqual([]);
    expect(last?.publicKey).toEqual(LEAF.publicKey);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1000);
    expect(Math.max(...counts)).toBeLessThan(20);
    expect(reader.problems).toEqual([]);
  });

  test(`report at most ${PROBLEMS_LIMIT} problems`, async () => {
    const trusted = await read(pem("PUBLIC KEY", Buffer.alloc(0)).repeat(PROBLEMS_LIMIT + 1));
    expect(trusted.problems).toHaveLength(PROBLEMS_LIMIT + 1);
    expect(trusted.problems.at(-1)).toBe("further problems are not listed");
  });
});

describe("Other blocks", () => {
  for (const label of ["PRIVATE KEY", "RSA PUBLIC KEY", "X509 CRL", ""])
    test(`such as "${label}" are reported and skipped`, async () => {
      const trusted = await read(pem(label, Buffer.from("x")) + pem("PUBLIC KEY", ROOT.spki));
      expect(trusted.keys).toHaveLength(1);
      expect(trusted.problems).toEqual([
        `line 1: ${label} cannot be used: only PUBLIC KEY and CERTIFICATE are`,
      ]);
    });

  test("that are broken do not affect good ones", async () => {
    const broken = pem("PUBLIC KEY", ROOT.spki).replace("MCow", "M*ow");
    const trusted = await read(pem("PUBLIC KEY", ROOT.spki) + broken + pem("PUBLIC KEY", LEAF.spki));
    expect(trusted.keys).toHaveLength(2);
    expect(trusted.problems).toEqual(["line 4: PUBLIC KEY is not base64"]);
  });
});

/** Chains that hold, and the labels of their keys. */
const HOLDING: readonly {
  name: string;
  certificates: readonly CertificateFields[];
  trusts: readonly string[];
}[] = [
  { name: "a self-signed certificate", certificates: [root], trusts: ["root"] },
  {
    name: "a self-signed certificate that is not an authority",
    certificates: [{ ...root, isAuthority: false }],
    trusts: ["root"],
  },
  {
    name: "a self-signed certificate of version 1",
    certificates: [{ subject: "old", keys: ROOT, version: 0 }],
    trusts: ["old"],
  },
  { name: "a chain of three", certificates: [root, middle, leaf], trusts: ["root", "middle", "leaf"] },
  { name: "a chain in any order", certificates: [leaf, middle, root], trusts: ["leaf", "middle", "root"] },
  {
    name: "authorities that sign certificates only",
    certificates: [
      { ...root, keyUsage: ["keyCertSign", "cRLSign"] },
      { ...middle, keyUsage: ["keyCertSign"] },
      leaf,
    ],
    trusts: ["leaf"],
  },
  {
    name: "keys for signing, by their usage",
    certificates: [
      { ...root, keyUsage: ["digitalSignature", "keyCertSign"] },
      {
        ...middle,
        isAuthority: false,
        issuer: "root",
        keyUsage: ["contentCommitment"],
        extendedKeyUsage: ["2b06010505070303"],
      },
    ],
    trusts: ["root", "middle"],
  },
  {
    name: "keys for another usage, which do not count",
    certificates: [
      root,
      { ...middle, keyUsage: ["keyEncipherment"] },
      { ...leaf, issuer: "root", signer: ROOT, extendedKeyUsage: ["2b06010505070301"] },
    ],
    trusts: ["root"],
  },
  {
    name: "an authority above a leaf, though its path length is 0",
    certificates: [
      { ...root, pathLength: 0 },
      { ...leaf, issuer: "root", signer: ROOT },
    ],
    trusts: ["root", "leaf"],
  },
  {
    name: "two issuers of one name, of which one has signed",
    certificates: [{ ...root, keys: OTHER, signer: OTHER }, root, { ...leaf, issuer: "root", signer: ROOT }],
    trusts: ["root", "root", "leaf"],
  },
  {
    name: "an issuer whose certificate is repeated, once with a longer path length",
    certificates: [{ ...root, pathLength: 0 }, root, middle, leaf],
    trusts: ["root", "middle", "leaf"],
  },
  {
    name: "a chain with a loop in it",
    certificates: [root, middle, { ...leaf, isAuthority: true }, { ...middle, issuer: "leaf", signer: LEAF }],
    trusts: ["root", "middle", "leaf"],
  },
  {
    name: "empty names",
    certificates: [
      { ...root, subject: "" },
      { ...leaf, issuer: "", signer: ROOT },
    ],
    trusts: [Buffer.from(ROOT.publicKey.subarray(0, 8)).toString("hex"), "leaf"],
  },
];

describe("Certificates are trusted", () => {
  for (const { name, certificates, trusts } of HOLDING)
    test(`as ${name}`, async () => {
      const trusted = await read(file(...certificates));
      expect(labels(trusted)).toEqual(trusts);
      expect(trusted.problems).toEqual([]);
    });

  test("together with public keys, by their own keys", async () => {
    const trusted = await read(
      pem("PUBLIC KEY", OTHER.spki) + file(root, { ...leaf, issuer: "root", signer: ROOT }),
    );
    expect(trusted.keys.map(({ publicKey }) => publicKey)).toEqual(
      [OTHER, ROOT, LEAF].map((it) => it.publicKey),
    );
  });

  test("in a chain of eight, and not in one of nine", async () => {
    const keys = Array.from({ length: 9 }, newKeys);
    const chain = keys.map((own, index) => {
      const above = Math.max(0, index - 1);
      return {
        subject: `c${index}`,
        keys: own,
        issuer: `c${above}`,
        signer: keys[above] ?? own,
        isAuthority: true,
      };
    });
    const trusted = await read(file(...chain));
    expect(labels(trusted)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"]);
    expect(trusted.problems).toEqual([expect.stringContaining('"c8" does not lead to')]);
  });
});

/** Certificates that lead nowhere: those that are left. */
const LOOSE: readonly {
  name: string;
  certificates: readonly CertificateFields[];
  trusts: readonly string[];
}[] = [
  { name: "its issuer is not in the file", certificates: [root, leaf], trusts: ["root"] },
  { name: "its self-signed root is not in the file", certificates: [middle, leaf], trusts: [] },
  {
    name: "another key than its issuer's has signed it",
    certificates: [root, { ...middle, signer: OTHER }],
    trusts: ["root"],
  },
  {
    name: "it claims to be self-signed and is not",
    certificates: [{ ...root, signer: OTHER }],
    trusts: [],
  },
  {
    name: "its issuer is not an authority",
    certificates: [root, { ...middle, isAuthority: false }, leaf],
    trusts: ["root", "middle"],
  },
  {
    name: "its issuer is a self-signed leaf",
    certificates: [
      { subject: "root", keys: ROOT },
      { ...leaf, issuer: "root", signer: ROOT },
    ],
    trusts: ["root"],
  },
  {
    name: "its issuer has version 1",
    certificates: [
      { subject: "root", keys: ROOT, version: 0 },
      { ...leaf, issuer: "root", signer: ROOT },
    ],
    trusts: ["root"],
  },
  {
    name: "the key usage of its issuer excludes signing certificates",
    certificates: [root, { ...middle, keyUsage: ["digitalSignature", "cRLSign"] }, leaf],
    trusts: ["root", "middle"],
  },
  {
    name: "its chain exceeds a path length",
    certificates: [{ ...root, pathLength: 0 }, middle, leaf],
    trusts: ["root", "middle"],
  },
  {
    name: "the names differ in one letter",
    certificates: [root, { ...middle, issuer: "Root" }],
    trusts: ["root"],
  },
  {
    name: "two certificates certify each other",
    certificates: [
      { ...middle, issuer: "leaf", signer: LEAF },
      { ...leaf, isAuthority: true },
    ],
    trusts: [],
  },
  {
    name: "its signature has a bit flipped",
    certificates: [root, { ...middle, signature: new Uint8Array(64).fill(1) }],
    trusts: ["root"],
  },
];

describe("A certificate is not trusted", () => {
  for (const { name, certificates, trusts } of LOOSE)
    test(`where ${name}`, async () => {
      const trusted = await read(file(...certificates));
      expect(labels(trusted)).toEqual(trusts);
      expect(trusted.problems.length).toBe(certificates.length - trusts.length);
      for (const problem of trusted.problems)
        expect(problem).toMatch(/^line \d+: certificate ".*" does not lead to a self-signed certificate/);
    });

  const dated = { notBefore: "250101000000Z", notAfter: "251231235959Z" };
  const DATES = [
    { name: "in its first second", now: at("2025-01-01T00:00:00"), is: true },
    {
      name: "in the last millisecond before its first second",
      now: at("2025-01-01T00:00:00") - 1,
      is: false,
    },
    { name: "in its last second", now: at("2025-12-31T23:59:59") + 999, is: true },
    { name: "after its last second", now: at("2026-01-01T00:00:00"), is: false },
    { name: "while the clock is not set", now: undefined, is: true },
  ];
  for (const { name, now, is } of DATES) {
    test(`by its date: ${is ? "trusted" : "not trusted"} ${name}`, async () => {
      const trusted = await read(file({ ...root, ...dated }), { now });
      expect(trusted.keys).toHaveLength(is ? 1 : 0);
      expect(trusted.problems).toHaveLength(is ? 0 : 1);
    });
    test(`by its issuer's date: ${is ? "trusted" : "not trusted"} ${name}`, async () => {
      const trusted = await read(file(root, { ...middle, ...dated }, leaf), { now });
      expect(labels(trusted)).toEqual(is ? ["root", "middle", "leaf"] : ["root"]);
    });
  }

  test("after it has expired, and the problem names that date", async () => {
    const trusted = await read(file({ ...root, ...dated }), { now: at("2026-06-01T00:00:00") });
    expect(trusted.problems).toEqual(['line 1: certificate "root" expired on 2025-12-31']);
  });

  test("before it is valid, and the problem names that date", async () => {
    const trusted = await read(file({ ...root, notBefore: "20990102030405Z", notAfter: "99991231235959Z" }), {
      now: at("2026-06-01T00:00:00"),
    });
    expect(trusted.problems).toEqual(['line 1: certificate "root" is not valid before 2099-01-02']);
  });
});

describe("A file of trusted keys", () => {
  const everything =
    `text\n${pem("PUBLIC KEY", OTHER.spki)}${file(leaf, root, { ...middle, signer: OTHER })}` +
    `${pem("PRIVATE KEY", Buffer.from("x"))}${file(middle)}-----BEGIN PUBLIC KEY-----\n`;

  test("gives the same keys however it is split", async () => {
    const whole = await read(everything);
    expect(labels(whole)).toHaveLength(4);
    expect(whole.problems).toHaveLength(3);
    const bytes = new TextEncoder().encode(everything);
    for (const step of [1, 2, 63, 64, 65, 1000]) {
      const reader = new TrustedKeysReader(PORTS);
      for (let from = 0; from < bytes.length; from += step) reader.write(bytes.subarray(from, from + step));
      await reader.end();
      expect({ keys: keysOf(reader), problems: reader.problems }).toEqual(whole);
    }
  });

  test("yields before each signature check", async () => {
    let turns = 0;
    const turnsBefore: number[] = [];
    const ed25519: Ed25519 = {
      ...nodeSignatures.ed25519,
      holds(...parts) {
        turnsBefore.push(turns);
        turns = 0;
        return nodeSignatures.ed25519.holds(...parts);
      },
    };
    const pause = async () => {
      turns++;
    };
    await read(file(root, middle, leaf), { ed25519, pause });
    expect(turnsBefore).toHaveLength(3);
    expect(Math.min(...turnsBefore)).toBeGreaterThan(0);
  });

  test("may be empty", async () => expect(await read("")).toEqual({ keys: [], problems: [] }));

  test("may have 32 KiB of certificates, and public keys besides", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...leaf,
      issuer: "none",
      subject: `leaf ${index}`,
    }));
    const trusted = await read(file(root, ...many) + pem("PUBLIC KEY", OTHER.spki));
    expect(trusted.problems[0]).toMatch(/^line \d+: .* certificates take more than 32768 bytes$/);
    expect(trusted.keys.map(({ publicKey }) => publicKey)).toEqual([OTHER.publicKey, ROOT.publicKey]);
  });

  test("may have as many of the smallest certificates as 32 KiB hold", async () => {
    const smallest = (serial: number) =>
      writeCertificate({ subject: "", keys: ROOT, version: 0, signature: new Uint8Array(64).fill(serial) });
    expect(smallest(0)).toHaveLength(SMALLEST_CERTIFICATE_BYTES);
    const many = Array.from({ length: 194 }, (_, index) => pem("CERTIFICATE", smallest(index)));
    const { problems } = await read(many.join(""));
    expect(problems.filter((problem) => problem.includes("more than 32768 bytes"))).toHaveLength(1);
    expect(problems[0]).toMatch(/^line 1159: /); // the last of them
  });

  test("holds equal certificates once, however many", async () => {
    const once = file(root);
    const turns = await turnsOf(once);
    for (const times of [40, 200]) {
      expect(await read(once.repeat(times))).toEqual(await read(once));
      expect(await turnsOf(once.repeat(times))).toBe(turns);
    }
  });

  test("has the signatures of certificates checked only downwards from self-signed ones", async () => {
    const loose = Array.from({ length: 80 }, (_, index) => ({ ...leaf, subject: `leaf ${index}` }));
    expect(await turnsOf(file(root, { ...middle, issuer: "none" }, ...loose))).toBe(
      await turnsOf(file(root)),
    );
  });

  test(`has ${SIGNATURE_CHECKS_LIMIT} signatures of certificates checked at most, and the rest is reported`, async () => {
    const one = await turnsOf(file({ ...root, isAuthority: false }));
    const many = (count: number) =>
      file(...Array.from({ length: count }, () => ({ ...root, keys: newKeys(), isAuthority: false })));
    expect((await read(many(SIGNATURE_CHECKS_LIMIT))).problems).toEqual([]);
    const trusted = await read(many(SIGNATURE_CHECKS_LIMIT + 2) + pem("PUBLIC KEY", OTHER.spki));
    expect(trusted.keys).toHaveLength(SIGNATURE_CHECKS_LIMIT + 1);
    expect(trusted.problems).toHaveLength(2);
    for (const problem of trusted.problems)
      expect(problem).toMatch(/^line \d+: certificate "root" is left out: .* 64 signatures are checked$/);
    expect(await turnsOf(many(100))).toBeLessThan((SIGNATURE_CHECKS_LIMIT + 1) * one);
  });

  test("with authorities of one name has no more signatures checked", async () => {
    const authorities = Array.from({ length: 100 }, () => ({ ...root, keys: newKeys(), signer: OTHER }));
    const one = await turnsOf(file(root));
    expect(await turnsOf(file(root, ...authorities))).toBeLessThan((SIGNATURE_CHECKS_LIMIT + 2) * one);
    expect(labels(await read(file(root, ...authorities)))).toEqual(["root"]);
  });

  test("takes memory for certificates alone, and frees it", async () => {
    let open = 0;
    let taken = 0;
    const memory: Memory = {
      allocate(byteLength) {
        open++;
        taken += byteLength;
        return { bytes: new Uint8Array(byteLength), close: () => open-- };
      },
    };
    await read(pem("PUBLIC KEY", ROOT.spki), { memory });
    expect(taken).toBe(0);
    expect((await read(file(root, middle, leaf), { memory })).keys).toHaveLength(3);
    expect(taken).toBeGreaterThan(32 * 1024);
    expect(taken).toBeLessThan(44 * 1024);
    expect(open).toBe(0);
  });

  test("trusts no certificate with a bit flipped", { timeout: 60_000 }, async () => {
    const der = writeCertificate({ ...root, keyUsage: ["keyCertSign", "digitalSignature"] });
    expect((await read(pem("CERTIFICATE", der))).keys).toHaveLength(1);
    for (const bit of bitsInTier(der)) {
      const flipped = Uint8Array.from(der);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { keys, problems } = await read(pem("CERTIFICATE", flipped));
      expect([keys.length, problems.length], `bit ${bit}`).toEqual([0, 1]);
    }
  });

  test("property: damage anywhere loses no other key, and throws nothing", async () => {
    const damaged = Buffer.from(everything, "latin1");
    await fc.assert(
      fc.asyncProperty(fc.nat(damaged.length - 1), fc.nat(255), async (place, value) => {
        const copy = Buffer.from(damaged);
        copy[place] = value;
        const known = [OTHER, ROOT, MIDDLE, LEAF].map(({ publicKey }) => publicKey.join());
        const { keys, problems } = await read(`${copy.toString("latin1")}\n${pem("PUBLIC KEY", LEAF.spki)}`);
        expect(keys.some(({ publicKey }) => publicKey.join() === known[3])).toBe(true);
        expect(keys.length + problems.length).toBeGreaterThanOrEqual(4);
      }),
    );
  });
});
