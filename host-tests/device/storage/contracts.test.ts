import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BASE64_CONTRACT } from "../../contracts/base64.js";
import { BYTES_CONTRACT } from "../../contracts/bytes.js";
import { CRC32_CONTRACT } from "../../contracts/crc32.js";
import { DIGEST_CONTRACT } from "../../contracts/digest.js";
import { FILES_CONTRACT } from "../../contracts/files.js";
import { HEXADECIMAL_CONTRACT } from "../../contracts/hexadecimal.js";
import { KEY_VALUE_CONTRACT } from "../../contracts/key-value.js";
import { RANDOM_CONTRACT } from "../../contracts/random.js";
import { RESOLVER_CONTRACT } from "../../contracts/resolver.js";
import { RETAINED_MEMORY_CONTRACT } from "../../contracts/retained-memory.js";
import { SANDBOX_CONTRACT } from "../../contracts/sandbox.js";
import { TCP_CLIENT_CONTRACT } from "../../contracts/tcp-client.js";
import { TEXT_CONTRACT } from "../../contracts/text.js";
import { TIMER_CONTRACT } from "../../contracts/timer.js";
import { WIFI_CONTRACT } from "../../contracts/wifi.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";

/** The suites that contract-program.ts runs, by the names that it reports them under. */
const SUITES: Readonly<Record<string, readonly { readonly name: string }[]>> = {
  timer: TIMER_CONTRACT,
  digest: DIGEST_CONTRACT,
  crc32: CRC32_CONTRACT,
  base64: BASE64_CONTRACT,
  sandbox: SANDBOX_CONTRACT,
  bytes: BYTES_CONTRACT,
  hexadecimal: HEXADECIMAL_CONTRACT,
  text: TEXT_CONTRACT,
  random: RANDOM_CONTRACT,
  "retained memory": RETAINED_MEMORY_CONTRACT,
  files: FILES_CONTRACT,
  "key-value": KEY_VALUE_CONTRACT,
  "TCP for clients": TCP_CLIENT_CONTRACT,
  resolver: RESOLVER_CONTRACT,
  WiFi: WIFI_CONTRACT,
};

interface Report {
  readonly suite: string;
  readonly name: string;
  readonly problem?: string;
}

const directory = temporaryDirectory();
let reports: readonly Report[] = [];

beforeAll(async () => {
  const program = await buildProgram(path.join(import.meta.dirname, "contract-program.ts"), directory.path);
  const { lines } = await program.run({ state: path.join(directory.path, "state") });
  reports = lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { problem: line }));
});
afterAll(() => directory.remove());

for (const [suite, cases] of Object.entries(SUITES))
  describe(`On XS, ${suite}`, () => {
    for (const { name } of cases)
      test(name, () => {
        const report = reports.find((candidate) => candidate.suite === suite && candidate.name === name);
        expect(report, "is reported").toBeDefined();
        expect(report?.problem).toBeUndefined();
      });
  });

test("The contract program reports its cases and nothing else", () => {
  const count = Object.values(SUITES).reduce((sum, cases) => sum + cases.length, 0);
  expect(reports).toHaveLength(count);
});
