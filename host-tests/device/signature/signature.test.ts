import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { readTrustedKeys } from "../../../protocol/keys/trusted-keys.js";
import { MANIFEST_LIMIT_BYTES, readManifest } from "../../../protocol/manifest/manifest.js";
import { hexOf } from "../../contracts/assert.js";
import { nodeBase64, nodeSignatures } from "../../hosts/node-bytes.js";
import { isMissing } from "../../hosts/peers.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";
import { SAMPLE_CHAIN } from "../../unit/protocol/keys/sample-chain.js";
import {
  crossedEdgeVectors,
  edgeVectors,
  holdsInNode,
  lineVectors,
  mixedOrderVectors,
  rfcVectors,
  smallOrderVectors,
} from "../../unit/protocol/signature/vectors.js";

/** Every vector there is, and those of our own. */
const vectors = [
  ...crossedEdgeVectors(),
  ...mixedOrderVectors(),
  ...(isMissing("testdata")
    ? []
    : [...rfcVectors(), ...edgeVectors(), ...smallOrderVectors(), ...lineVectors()]),
];

const MALFORMED = SAMPLE_CHAIN.slice(0, -200);
const KEYS = `${SAMPLE_CHAIN}${MALFORMED}\n-----BEGIN PUBLIC KEY-----\n*\n-----END PUBLIC KEY-----\n`;

const LEAST = { name: "tetris", version: "1.2.3", capabilities: ["gpio.read"], memory_quota: 65536 };
const filled = (repeated: string) => {
  const start = JSON.stringify(LEAST).replace("}", ',"x":[');
  const count = Math.floor((MANIFEST_LIMIT_BYTES - start.length - 3) / repeated.length);
  return `${start}${repeated.repeat(count)}0]}`;
};
/** The last ones would take more than the heap has, were they parsed. */
const MANIFESTS = [
  JSON.stringify(LEAST),
  JSON.stringify({ ...LEAST, description: "ä😀".repeat(64), author: "x", target_arch: "arm", entry: "go" }),
  JSON.stringify({ ...LEAST, description: "😀".repeat(129) }),
  JSON.stringify({ ...LEAST, version: "1.2" }),
  JSON.stringify({ ...LEAST, capabilities: ["gpio"] }),
  "",
  filled("[],"),
  filled("{},"),
  filled("0,"),
  filled('"",'),
  `${JSON.stringify(LEAST)}${" ".repeat(MANIFEST_LIMIT_BYTES)}`,
];

interface Line {
  readonly holds?: boolean;
  readonly isUsable?: boolean;
  readonly lengthFault?: string;
  readonly keys?: readonly string[];
  readonly problems?: readonly string[];
  readonly manifest?: unknown;
  readonly fault?: string;
  readonly field?: string;
}

const directory = temporaryDirectory();
let lines: readonly Line[] = [];

const record = (bytes: Uint8Array, ...before: readonly Uint8Array[]) =>
  Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length), ...before, bytes]);

beforeAll(async () => {
  const state = path.join(directory.path, "state");
  const files = path.join(state, "lfs");
  mkdirSync(files, { recursive: true });
  const cases = vectors.map(({ publicKey, signature, message }) => record(message, publicKey, signature));
  writeFileSync(path.join(files, "cases"), Buffer.concat(cases));
  writeFileSync(path.join(files, "keys.pem"), KEYS);
  writeFileSync(
    path.join(files, "manifests"),
    Buffer.concat(MANIFESTS.map((text) => record(Buffer.from(text)))),
  );
  const program = await buildProgram(path.join(import.meta.dirname, "signature-program.ts"), directory.path);
  const run = await program.run({ state });
  lines = run.lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { fault: line }));
}, 120_000);
afterAll(() => directory.remove());

describe("Signatures on XS (without files if testdata is missing)", () => {
  const verdictsOf = () => lines.filter(({ holds }) => holds !== undefined);

  test("are verified as in Node", () => {
    const verdicts = verdictsOf();
    expect(verdicts).toHaveLength(vectors.length);
    for (const [index, vector] of vectors.entries())
      expect(verdicts[index]?.holds, vector.name).toBe(holdsInNode(vector));
  });

  test("have keys that are found usable or of small order as in Node", () => {
    const verdicts = verdictsOf();
    const usable = vectors.map(({ publicKey }) => nodeSignatures.ed25519.isPublicKey(publicKey));
    expect(new Set(usable)).toEqual(new Set([true, false]));
    for (const [index, { name }] of vectors.entries())
      expect(verdicts[index]?.isUsable, name).toBe(usable[index]);
  });

  test("with a wrong length of signature, key or digest throw a RangeError", () => {
    const faults = lines.flatMap(({ lengthFault }) => lengthFault ?? []);
    expect(faults).toEqual(Array(8).fill("RangeError"));
  });
});

test("Trusted keys are read on XS as in Node", async () => {
  const ports = { base64: nodeBase64, ...nodeSignatures, now: Date.UTC(2050, 0) };
  const { keys, problems } = await readTrustedKeys(KEYS, ports);
  const expected = { keys: keys.map(({ label, publicKey }) => `${label} ${hexOf(publicKey)}`), problems };
  expect(expected.keys).toHaveLength(1);
  expect(problems.length).toBeGreaterThan(1);
  expect(lines.find((line) => line.keys)).toEqual(expected);
});

test("Manifests are accepted and rejected on XS as in Node", () => {
  const read = lines.slice(-MANIFESTS.length);
  expect(read).toEqual(MANIFESTS.map(inNode));
  expect(read.filter(({ manifest }) => manifest)).toHaveLength(2);
});

function inNode(json: string): Line {
  try {
    return { manifest: readManifest(json) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const field = error.details?.["field"];
    return { fault: error.code, ...(field !== undefined && { field: String(field) }) };
  }
}
