import { spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { FIRMWARE } from "../../../device/services/firmware/firmware-facts.js";
import { buildFirmware, FAULTS } from "../../../engine/program/firmware.js";
import { nameMapFile, readNameMap } from "../../../engine/program/name-map.js";
import { buildDevice } from "../../../simulator/build.js";
import { LAUNCHER } from "../../../tools/launcher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

/** Several of these tests bundle the console's program, on a machine that does other things. */
const BUILD_TIMEOUT_MS = 60_000;

const root = path.join(import.meta.dirname, "../../..");
const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const fileOf = (name: string) => path.join(temporary.path, name);

const { publicKey } = generateKeyPairSync("ed25519", {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** The fields of the header as image.ts lists them, and the program. */
function readImage(file: string) {
  const bytes = readFileSync(file);
  const text = (offset: number, byteLength: number) =>
    bytes.toString("latin1", offset, offset + byteLength).replace(/\0+$/, "");
  const digested = Buffer.concat([bytes.subarray(0, 96), bytes.subarray(128)]);
  return {
    magic: text(0, 8),
    version: text(16, 32),
    board: text(48, 32),
    architecture: text(80, 16),
    isWhole:
      bytes.readUInt32LE(12) === bytes.length - 128 &&
      createHash("sha256").update(digested).digest().equals(bytes.subarray(96, 128)),
    program: bytes.toString("utf8", 128),
  };
}

/** The program's facts about itself. */
function factsOf(program: string): unknown {
  const found = [...program.matchAll(/ [\w$]+ = Object\.freeze\((\{ "version": .*?\})\)[,;]/g)];
  expect(found).toHaveLength(1);
  return JSON.parse(found[0]?.[1] ?? "");
}

test("the version of the sources is that of the package, and of the image that npm start runs", {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const { program, ...header } = readImage(await buildDevice());
  expect(FIRMWARE.version).toBe(version);
  expect(header).toMatchObject({ version, board: "simulator", isWhole: true });
  expect(factsOf(program)).toEqual(FIRMWARE);
});

describe("buildFirmware", { timeout: BUILD_TIMEOUT_MS }, () => {
  test("writes the program's facts into the header", async () => {
    const file = await buildFirmware(fileOf("named.img"), { version: "12.3.4", codename: "Merlin" });
    const { program, ...header } = readImage(file);
    expect(header).toEqual({
      magic: "SVCIMAGE",
      version: "12.3.4",
      board: "simulator",
      architecture: "native",
      isWhole: true,
    });
    expect(factsOf(program)).toEqual({ version: "12.3.4", codename: "Merlin" });
  });

  test("keeps the codename of the sources, and includes trusted keys", async () => {
    const file = await buildFirmware(fileOf("keys.img"), { version: "0.2.0", trustedKeys: publicKey });
    const facts = { version: "0.2.0", codename: FIRMWARE.codename, trustedKeys: [publicKey] };
    expect(factsOf(readImage(file).program)).toEqual(facts);
  });

  test("gives programs of two versions that differ in their facts alone", async () => {
    const [one, two] = await Promise.all(
      ["0.2.0", "10.20.30"].map((version) => buildFirmware(fileOf(`${version}.img`), { version })),
    );
    const [before, after] = [one, two].map((file) => readImage(file as string).program);
    expect(before?.replace('"version": "0.2.0"', '"version": "10.20.30"')).toBe(after);
  });

  test("does not touch an unchanged file", async () => {
    const file = fileOf("twice.img");
    await buildFirmware(file, { version: "0.2.0" });
    const { ino, mtimeMs } = statSync(file);
    await buildFirmware(file, { version: "0.2.0" });
    expect(statSync(file)).toMatchObject({ ino, mtimeMs });
  });

  test("writes the names beside the image, and mends a damaged image", async () => {
    const file = await buildFirmware(fileOf("mended.img"), { version: "0.2.0" });
    const image = readFileSync(file);
    const { members = {} } = readNameMap(readFileSync(nameMapFile(file), "utf8")) ?? {};
    expect(Object.values(members).flatMap((names) => names.split("|"))).toContain("#phase");
    const damaged = Buffer.from(image);
    damaged[image.length - 2] = 0x20;
    writeFileSync(file, damaged);
    await buildFirmware(file, { version: "0.2.0" });
    expect(readFileSync(file).equals(image)).toBe(true);
  });

  const BROKEN = [
    { fault: "crash", does: "throws", timeout: undefined, throws: "built to crash" },
    { fault: "hang", does: "never returns", timeout: 50, throws: "timed out" },
    { fault: "silent", does: "does nothing", timeout: undefined, throws: undefined },
  ] as const;
  for (const { fault, does, timeout, throws } of BROKEN)
    test(`wraps a program that ${does} for the fault ${fault}`, async () => {
      const file = await buildFirmware(fileOf(`${fault}.img`), { version: "0.3.0", fault });
      const { program, ...header } = readImage(file);
      expect(header).toMatchObject({ version: "0.3.0", isWhole: true });
      const main = new Script(`${program.replace("export default ", "")}main()`);
      const run = () => main.runInNewContext({}, timeout ? { timeout } : {});
      if (throws) expect(run).toThrow(throws);
      else expect(run()).toBeUndefined();
    });

  test("has a fault of every kind above, and no other", () => {
    expect(Object.keys(FAULTS)).toEqual(BROKEN.map(({ fault }) => fault));
  });
});

describe("npm run build:firmware", { timeout: BUILD_TIMEOUT_MS }, () => {
  function run(flags: readonly string[], cwd = root) {
    const script = path.join(root, "simulator/build-firmware.ts");
    return spawnSync(process.execPath, [LAUNCHER, script, ...flags], { cwd, encoding: "utf8" });
  }

  test("gives the same bytes in any directory, and prints only the path of the image", () => {
    const elsewhere = fileOf("elsewhere");
    mkdirSync(elsewhere);
    const here = run(["--version", "0.2.0", "--out", fileOf("here.img")]);
    const there = run(["--version", "0.2.0", "--out", "there.img"], elsewhere);
    expect([here.status, here.stdout]).toEqual([0, `${fileOf("here.img")}\n`]);
    expect([there.status, there.stdout]).toEqual([0, `${path.join(elsewhere, "there.img")}\n`]);
    expect(readFileSync(there.stdout.trim())).toEqual(readFileSync(here.stdout.trim()));
  });

  test("names the image after version and fault", () => {
    const { status, stdout } = run(["--version", "0.0.0", "--fault", "silent"]);
    expect([status, stdout]).toEqual([0, `${path.join(root, "build/firmware/svc-0.0.0-silent.img")}\n`]);
  });

  test("builds for a board, with keys", () => {
    writeFileSync(fileOf("keys.pem"), publicKey);
    const flags = ["--version", "0.2.0", "--board", "other", "--trusted-keys", fileOf("keys.pem")];
    const { stdout } = run([...flags, "--out", fileOf("board.img")]);
    const { board, program } = readImage(stdout.trim());
    expect(board).toBe("other");
    expect(factsOf(program)).toMatchObject({ trustedKeys: [publicKey] });
  });

  const WRONG = [
    { flags: [], says: 'version ""' },
    { flags: ["--version", "0.2"], says: 'version "0.2"' },
    { flags: ["--version", "0.2.0-rc.1"], says: 'version "0.2.0-rc.1"' },
    { flags: ["--version", "0.02.0"], says: 'version "0.02.0"' },
    { flags: ["--version="], says: "empty --version" },
    { flags: ["--version", "0.2.0", "--board", ""], says: "empty --board" },
    { flags: ["--version", "0.2.0", "--codename="], says: "empty --codename" },
    { flags: ["--version", "0.2.0", "--fault", "fire"], says: "crash, hang, silent" },
    { flags: ["--version", "0.2.0", "--fault", "toString"], says: "crash, hang, silent" },
    { flags: ["--version", "0.2.0", "--board", "b".repeat(32)], says: "31 characters" },
    { flags: ["--version", "0.2.0", "--faults", "crash"], says: "--faults" },
    { flags: ["--version", "0.2.0", "more"], says: "more" },
  ];
  for (const { flags, says } of WRONG)
    test(`exits with status 2 and its usage for "${flags.join(" ")}"`, () => {
      const { status, stdout, stderr } = run(flags);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(says);
      expect(stderr).toContain("usage: npm run build:firmware -- --version X.Y.Z");
    });

  test("prints its usage on standard output for --help, with status 0, and builds nothing", () => {
    const { status, stdout, stderr } = run(["--version", "0.2.0", "--out", fileOf("help.img"), "--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^usage: npm run build:firmware -- --version X\.Y\.Z/);
    expect(statSync(fileOf("help.img"), { throwIfNoEntry: false })).toBeUndefined();
  });

  test("exits with status 1 and builds nothing without a key to trust", () => {
    for (const name of ["missing.pem", "none.pem"]) {
      if (name === "none.pem") writeFileSync(fileOf(name), "nothing here\n");
      const flags = ["--version", "0.2.0", "--out", fileOf("untrusted.img"), "--trusted-keys", fileOf(name)];
      const { status, stdout, stderr } = run(flags);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(name);
      expect(statSync(fileOf("untrusted.img"), { throwIfNoEntry: false })).toBeUndefined();
    }
  });
});
