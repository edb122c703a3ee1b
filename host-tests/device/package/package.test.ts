/** The package reader on XS, in a machine of the board's size. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";
import { ascii, END, header, joined, MANIFEST, member } from "../../unit/protocol/package/packing.js";
import { mixture } from "../../unit/protocol/package/samples.js";

const LIMIT_BYTES = 1 << 20;
const module = mixture(120_000);
const written = writePackage({ module, manifest: ascii("{}") });
const archive = joined(member({ name: "app.wasm" }, module), MANIFEST, END);

/** A file whose content ends in a GiB of zeros. After a full flush nothing reaches back, so parts may repeat. */
function bomb(): Uint8Array {
  const part = (content: Uint8Array) => deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  const zeros = part(new Uint8Array(32 << 20));
  const members = joined(MANIFEST, header({ name: "app.wasm", byteLength: LIMIT_BYTES }));
  return joined(gzipSync("").subarray(0, 10), part(members), ...Array.from({ length: 32 }, () => zeros));
}

const PACKAGES: Readonly<Record<string, Uint8Array>> = {
  "written.svcpkg": written,
  "fast.svcpkg": gzipSync(archive, { level: 1 }),
  "stored.svcpkg": gzipSync(archive, { level: 0 }),
  "fixed.svcpkg": gzipSync(archive, { strategy: constants.Z_FIXED }),
  "short.svcpkg": written.subarray(0, -1),
  "damaged.svcpkg": written.slice().fill(0x55, 40_000, 40_010),
  "bomb.svcpkg": bomb(),
};

const directory = temporaryDirectory();
const file = (name: string) => path.join(directory.path, "state/lfs", name);
let results: Readonly<Record<string, unknown>> = {};

beforeAll(async () => {
  mkdirSync(file(""), { recursive: true });
  for (const [name, bytes] of Object.entries(PACKAGES)) writeFileSync(file(name), bytes);
  const program = await buildProgram(path.join(import.meta.dirname, "package-program.ts"), directory.path);
  const { lines } = await program.run({ state: path.join(directory.path, "state") });
  const ends = lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { name: line }));
  results = Object.fromEntries(ends.map(({ name, ...result }) => [name, result]));
}, 120_000);
afterAll(() => directory.remove());

describe("PackageReader in a console's heap", () => {
  const MANIFEST_LAST = { members: ["module 120000", "manifest 2"] };
  const RESULTS = {
    written: { members: ["manifest 2", "module 120000"] },
    fast: MANIFEST_LAST,
    stored: MANIFEST_LAST,
    fixed: MANIFEST_LAST,
    short: { fault: "package_invalid" },
    damaged: { fault: "package_invalid" },
    bomb: { fault: "package_too_large" },
  };
  for (const [name, result] of Object.entries(RESULTS))
    test(`reads ${name}.svcpkg with the result ${JSON.stringify(result)}`, () => {
      expect(results).toHaveProperty([`${name}.svcpkg`], result);
      if ("members" in result)
        expect(Buffer.compare(readFileSync(file(`${name}.svcpkg.module`)), module)).toBe(0);
    });
});
