/**
 * `npm run test:nightly [-- --sample] [-- --after-tests]`: every test with its sweeps in full, the sweeps that
 * `npm run test:all` leaves out, and the console with the sanitizers. It takes hours.
 *
 * `--sample`, for CI, runs a part of each sweep that `npm run test:all` leaves out, and of the tests with the sanitizers. On a slow machine
 * it names the groups of tests for which there was no time: none begins later than `SVC_TEST_BEGIN_WITHIN_S` after
 * `SVC_TEST_BEGAN` (in seconds since 1970), which `.ci/run` sets.
 * `--after-tests` adds the outcome of the preceding run to the counts in the last line.
 */
import { parseArgs } from "node:util";
import { buildSimulator } from "../simulator/build.js";
import { conclude, lastOutcome, type Outcome, vitest } from "./outcome.js";
import { buildConsole, preparePackages } from "./prepare.js";

const { values } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    "after-tests": { type: "boolean", default: false },
  },
});

/**
 * Tests that run with the sanitizers too, which take three times as long: those that pass bytes from outside to our C.
 * Policy is TypeScript, so tests of policy alone are left out.
 */
const SANITIZED = [
  "device/api/conformance",
  "device/apps/hostile-ends",
  "device/apps/install.test",
  "device/display",
  "device/drives",
  "device/firmware/boot/contract",
  "device/firmware/boot/damage",
  "device/firmware/update",
  "device/guest",
  "device/http",
  "device/hub/secure",
  "device/native-images/hostile-ends",
  "device/native/resolver",
  "device/native/tcp",
  "device/native/timers",
  "device/native/udp",
  "device/native/usb",
  "device/package",
  "device/storage/bytes",
  "device/storage/contracts",
  "device/storage/outside",
  "device/tls",
  "device/usb/usb",
  "device/websocket",
];

/** Of those, the tests whose C is the first to read bytes from outside. */
const SANITIZED_SAMPLE = [
  "device/apps/hostile-ends",
  "device/drives",
  "device/firmware/boot/damage",
  "device/guest",
  "device/http",
  "device/native-images/hostile-ends",
  "device/native/udp",
  "device/package",
  "device/tls",
  "device/usb/usb",
  "device/websocket",
];

/** Suites that run apps, for the interpreter that returns from each instruction, as on Xtensa. */
const TRAMPOLINED = ["device/apps/hostile-ends", "device/apps/hostile-stop", "device/guest"];

/** Suites that other runs have on one kind alone, of cable, heap or page; these run the others. */
const OTHER_KINDS = [
  "browser/interruptions",
  "browser/panels",
  "browser/store",
  "browser/transports",
  "browser/uploads",
  "device/cli/commands",
  "device/client/device-client",
  "device/client/device-link",
  "device/firmware/rollback",
  "hub/api/properties",
  "unit/cli/app-sources",
];

/** Suites with a sweep of which other runs have a part. */
const PARTIAL_SWEEPS = [
  "device/display/player-drawing",
  "device/home/random-presses",
  "device/sound/player-sound",
  "unit/protocol/keys/trusted-keys",
  "unit/protocol/package/package-reader",
  "unit/protocol/signature/ed25519",
  "unit/services/apps/refusals",
  "unit/services/display/png-encoder",
  "unit/services/upload/properties",
  "unit/wasm/mutation",
];

const tier = values.sample ? "sample" : "nightly";

function isLate(): boolean {
  const { SVC_TEST_BEGAN: began, SVC_TEST_BEGIN_WITHIN_S: within } = process.env;
  return Boolean(values.sample && began && within && Date.now() / 1000 > Number(began) + Number(within));
}

/** Runs a group of tests, unless it is too late for one. @returns its outcome, if there is one */
async function group(name: string, ...run: Parameters<typeof vitest>): Promise<Outcome[]> {
  if (isLate()) {
    process.stdout.write(`No time was left for ${name}\n`);
    return [];
  }
  return [await vitest(...run)];
}

const before = values["after-tests"] ? [lastOutcome()] : [];
const release = { tier, variant: "release" } as const;
preparePackages({ isQuick: false });
await buildConsole();
if (!isLate()) for (const variant of ["asan", "trampoline"] as const) await buildSimulator({ variant });
const others = [...OTHER_KINDS, ...PARTIAL_SWEEPS].map((suite) => `host-tests/${suite}`);
const usual = values.sample
  ? [
      ...(await group("the nightly tier", ["--project", "nightly"], release)),
      ...(await group("other kinds and whole sweeps", ["--project", "!nightly", ...others], release)),
    ]
  : await group("every test", [], release);
const sanitized = values.sample ? SANITIZED_SAMPLE : SANITIZED;
conclude([
  ...before,
  ...usual,
  ...(await group("the sanitizers", ["--project", "device", "--project", "native-images", ...sanitized], {
    tier: "quick",
    variant: "asan",
  })),
  ...(await group("apps as on Xtensa", ["--project", "device", ...TRAMPOLINED], {
    tier: "quick",
    variant: "trampoline",
  })),
]);
