/** Every endpoint that reads, and those of apps, answer as their schema in the table says, and with no other members. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import * as answers from "../../../protocol/device/answers.js";
import { matches, type Schema } from "../../../protocol/schema.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { UsbClient } from "../../hosts/usb-client.js";

let console: AppConsole;
let usb: UsbClient;

beforeAll(async () => {
  console = await startAppConsole({});
  usb = await UsbClient.open(console.usb);
});
afterAll(async () => {
  await usb.close();
  expect(await console.stop()).toBe(0);
});

/** What differs between an answer and its schema. */
function deviations(described: Schema, value: unknown, at = "the answer"): readonly string[] {
  if (!matches(described, value)) return [`${at} is ${JSON.stringify(value)}`];
  if (Array.isArray(value))
    return value.flatMap((item) => deviations(described.items as Schema, item, `an item of ${at}`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const named = described.properties?.[name];
    return named ? deviations(named, member, `"${name}" of ${at}`) : [`"${name}" of ${at} has no schema`];
  });
}

test("an app that runs, and one that has ended", async () => {
  const module = await moduleOf(`(module (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
    (func (export "main") (loop $on (drop (call $sleep (i32.const 50))) (br $on))))`);
  const file = packageOf(module, { name: "waiter" });
  const installed = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  expect([installed.status, deviations(answers.APP_ENTRY, installed.body)]).toEqual([200, []]);
  for (const action of ["start", "stop"] as const) {
    const { status, body } = await console.app(action, "waiter");
    expect([status, deviations(answers.APP_ENTRY, body)]).toEqual([200, []]);
  }
  expect(await console.apps()).toMatchObject([{ name: "waiter", last_exit: { reason: "stopped" } }]);
});

const SCHEMAS: Readonly<Record<answers.AnswerName, Schema | string>> = { ...answers };
const READING = ENDPOINTS.filter(
  ({ method, parameters = [] }) => method === "GET" && !parameters.some(({ isRequired }) => isRequired),
).flatMap(({ path, transport, answer }) => {
  const schema = SCHEMAS[answer];
  return typeof schema === "string" ? [] : [{ path, transport, schema }];
});

test("most of what reads is among these", () => expect(READING.length).toBeGreaterThan(12));

for (const { path, transport, schema } of READING)
  test(`GET ${path}`, async () => {
    const isOverHttp = transport === "http";
    const { status, body } = await (isOverHttp ? askHttp(console.http + path) : usb.request("GET", path));
    expect([status, deviations(schema, body)]).toEqual([200, []]);
  });

test("a member of another type, one that is missing and one too many are found", () => {
  const right = { number: 1, revoked: 0 };
  expect(deviations(answers.REVOCATIONS, right)).toEqual([]);
  expect(deviations(answers.REVOCATIONS, { ...right, revoked: "0" })).toHaveLength(1);
  expect(deviations(answers.REVOCATIONS, { number: 1 })).toHaveLength(1);
  expect(deviations(answers.REVOCATIONS, { ...right, keys: [] })).toEqual([
    '"keys" of the answer has no schema',
  ]);
});
