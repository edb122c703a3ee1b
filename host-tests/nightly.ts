/**
 * `npm run test:nightly [-- --sample] [-- --after-tests]`: every test with its sweeps in full, the sweeps that
 * `npm test` leaves out, and the console with the sanitizers. It takes hours.
 *
 * `--sample`, for CI, runs a part of each sweep that `npm test` leaves out, and of the tests with the sanitizers.
 * `--after-tests` adds the outcome of the preceding `npm test` to the counts in the last line.
 */
import { parseArgs } from "node:util";
import { conclude, lastOutcome, vitest } from "./outcome.js";
import { prepare } from "./prepare.js";

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
  "device/native/udp",
  "device/package",
  "device/tls",
  "device/usb/usb",
  "device/websocket",
];

/** Suites that run apps, for the interpreter that returns from each instruction, as on Xtensa. */
const TRAMPOLINED = ["device/apps/hostile-ends", "device/apps/hostile-stop", "device/guest"];

/** Suites that `npm test` runs on one kind alone, of database, heap, cable or page; these run the others. */
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
  "hub/api",
  "hub/catalog/download",
  "hub/catalog/publish",
  "hub/devices",
  "hub/faults/results",
  "hub/firmware",
  "hub/page",
  "hub/process/life",
  "hub/process/secret",
  "hub/publishers",
  "hub/rollouts/named-devices",
  "unit/cli/app-sources",
];

/** Suites with a sweep of which `npm test` runs a part. */
const PARTIAL_SWEEPS = [
  "unit/protocol/keys/trusted-keys",
  "unit/protocol/package/package-reader",
  "unit/protocol/signature/ed25519",
  "unit/services/apps/refusals",
  "unit/services/display/png-encoder",
  "unit/services/upload/properties",
  "unit/wasm/mutation",
  "unit/wasm/reference",
];

const tier = values.sample ? "sample" : "nightly";
const before = values["after-tests"] ? [lastOutcome()] : [];
await prepare({ sanitized: true });
conclude([
  ...before,
  ...(values.sample
    ? [
        vitest(["--project", "nightly"], { tier, variant: "release" }),
        vitest(
          [
            "--project",
            "!nightly",
            ...[...OTHER_KINDS, ...PARTIAL_SWEEPS].map((suite) => `host-tests/${suite}`),
          ],
          { tier, variant: "release" },
        ),
      ]
    : [vitest([], { tier, variant: "release" })]),
  vitest(["--project", "device", ...(values.sample ? SANITIZED_SAMPLE : SANITIZED)], {
    tier: "quick",
    variant: "asan",
  }),
  vitest(["--project", "device", ...TRAMPOLINED], { tier: "quick", variant: "trampoline" }),
]);
