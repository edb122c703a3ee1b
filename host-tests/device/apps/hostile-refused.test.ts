/** Apps that never get as far as to run: the first gate is at the install (docs/spec/capabilities.md#gate-install). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import type { AppConsole } from "../../hosts/app-console.js";
import { parametersOf } from "../guest/abi-calls.js";
import {
  ALL_CAPABILITIES,
  endInPeace,
  type HostileApp,
  LARGEST_QUOTA_BYTES,
  mustInstall,
  packed,
  startHostileConsole,
  whileProbed,
} from "./hostile-apps.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startHostileConsole();
  // The first upload makes the folders that files arrive in, which stay.
  await mustInstall(console, { module: MAIN });
  expect((await console.app("uninstall", "hostile")).status).toBe(200);
});
afterAll(() => endInPeace(console));

const MAIN = `(func $main (export "main"))`;
const importOf = ({ name, result }: (typeof ABI)[number], parameters: string) =>
  `(import "svc" "${name}" (func $${name} ${parameters} (result ${result})))`;

interface Refused extends HostileApp {
  readonly title: string;
  readonly error: string;
  readonly message?: RegExp;
}

const REFUSED: readonly Refused[] = [
  ...ABI.flatMap((abi) =>
    abi.capability === undefined
      ? []
      : [
          {
            title: `${abi.name} without ${abi.capability}, which alone is not declared,`,
            module: `${importOf(abi, parametersOf(abi))} ${MAIN}`,
            capabilities: ALL_CAPABILITIES.filter((each) => each !== abi.capability),
            error: "capability_missing",
            message: new RegExp(`"svc\\.${abi.name}".*"${abi.capability}"`),
          },
        ],
  ),
  {
    title: "a function that is only in a table, without its capability,",
    module: `(import "svc" "display_flush" (func $flush (result i32))) (table funcref (elem $flush))
      (func (export "main") (result i32) (call_indirect (result i32) (i32.const 0)))`,
    capabilities: [],
    error: "capability_missing",
    message: /"svc\.display_flush".*"display\.write"/,
  },
  {
    title: "a function that is only exported again, without its capability,",
    module: `(import "svc" "ble_stop" (func $stop (result i32))) (export "main" (func $stop))`,
    capabilities: [],
    error: "capability_missing",
    message: /"svc\.ble_stop".*"ble\.use"/,
  },
  {
    title: "an import that does not exist",
    module: `(import "svc" "reboot" (func)) ${MAIN}`,
    error: "import_unknown",
    message: /"svc\.reboot"/,
  },
  {
    title: "an import of another module",
    module: `(import "env" "log" (func (param i32 i32 i32))) ${MAIN}`,
    error: "import_unknown",
    message: /"env\.log"/,
  },
  {
    title: "an import with a parameter too many",
    module: `(import "svc" "log" (func (param i32 i32 i32 i32))) ${MAIN}`,
    error: "module_invalid",
  },
  {
    title: "a memory that is imported",
    module: `(import "svc" "memory" (memory 1)) ${MAIN}`,
    error: "import_unknown",
  },
  { title: "an entry that is not there", module: `(func (export "start"))`, error: "entry_missing" },
  { title: "an entry that is a memory", module: `(memory (export "main") 1)`, error: "entry_missing" },
  {
    title: "an entry with a parameter",
    module: `(func (export "main") (param i64))`,
    error: "entry_missing",
  },
  {
    title: "a memory that begins over the quota",
    module: `(memory 2) ${MAIN}`,
    memory_quota: 65536,
    error: "quota_exceeded",
  },
  {
    title: "a quota over what a console has",
    module: MAIN,
    memory_quota: LARGEST_QUOTA_BYTES + 65536,
    error: "manifest_invalid",
  },
  { title: "a quota below a page", module: MAIN, memory_quota: 65535, error: "manifest_invalid" },
  {
    title: "a table that is too large",
    module: `(table 16385 funcref) ${MAIN}`,
    error: "module_unsupported",
  },
  {
    title: "elements outside of the table",
    module: `(table 1 funcref) (elem (i32.const 1) $main) ${MAIN}`,
    error: "module_unsupported",
  },
  {
    title: "more locals than a function may have",
    module: `(func (export "main") (local ${"i32 ".repeat(1101)}))`,
    error: "module_unsupported",
  },
  {
    title: "more loops within loops than there is room for",
    module: `(func (export "main") ${"(loop ".repeat(64)} ${")".repeat(64)})`,
    error: "module_unsupported",
  },
  { title: "a name with a slash", name: "../hostile", module: MAIN, error: "manifest_invalid" },
  { title: "a name that begins with a dot", name: ".hostile", module: MAIN, error: "manifest_invalid" },
  { title: "a name of 33 characters", name: "h".repeat(33), module: MAIN, error: "manifest_invalid" },
  {
    title: "a capability that there is not",
    module: MAIN,
    capabilities: ["root"],
    error: "manifest_invalid",
  },
];

for (const { title, error, message, ...app } of REFUSED)
  test(`An app with ${title} is refused, and leaves no trace`, async () => {
    const before = await console.trace();
    const upload = await packed(console, app);
    const answer = await whileProbed(console, () => installOverHttp(console, upload));
    expect(answer).toMatchObject({ body: { error } });
    expect(answer.status).toBe(422);
    if (message) expect(answer.body.message).toMatch(message);
    expect(await console.trace()).toEqual(before);
  });
