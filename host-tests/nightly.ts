/**
 * `npm run test:nightly [-- --sample] [-- --after-tests]`: every test once more with its sweeps in full, the sweeps that
 * `npm test` leaves out, and the console with the sanitizers. It takes hours.
 *
 * `--sample` is what CI has time for: a part of each sweep that `npm test` leaves out, and of what the sanitizers see.
 * `--after-tests` adds the outcome of the `npm test` before it to the line that counts.
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
 * What the sanitizers see, with which it takes three times as long: whatever hands bytes of others to our C. Policy is
 * TypeScript, and what only that decides is left out.
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

/** Of those, where bytes of strangers come first. */
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

/** Suites that `npm test` runs on one kind alone, of database, heap, cable or page; these run the others. */
const OTHER_KINDS = [
  "browser/foreign-pages",
  "device/cli-apps/app-dev",
  "device/hostile-input/hostile-hub",
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
  "hub/push/revocations",
  "hub/rollouts/named-devices",
];

const tier = values.sample ? "sample" : "nightly";
const before = values["after-tests"] ? [lastOutcome()] : [];
await prepare({ sanitized: true });
conclude([
  ...before,
  ...(values.sample
    ? [
        vitest(["--project", "nightly"], { tier, variant: "release" }),
        vitest(["--project", "hub", "--project", "device", "--project", "browser", ...OTHER_KINDS], {
          tier,
          variant: "release",
        }),
      ]
    : [vitest([], { tier, variant: "release" })]),
  vitest(["--project", "device", ...(values.sample ? SANITIZED_SAMPLE : SANITIZED)], {
    tier: "quick",
    variant: "asan",
  }),
]);
