import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const NAMES = '{"members":{"_1":"#begin"},"functions":{}}';
const STACK = "TypeError: cannot read\n at _1 ()\n at main ()\n";

function translate(names: string, ...flags: readonly string[]) {
  const file = path.join(temporary.path, "device.img.names.json");
  writeFileSync(file, names);
  return runSvcIn({}, ["firmware", "stack", file, ...flags], STACK);
}

describe("svc firmware stack", { timeout: SVC_TIMEOUT_MS }, () => {
  test("prints the stack from standard input with the names of the sources", () => {
    expect(translate(NAMES)).toMatchObject({
      status: 0,
      stdout: "TypeError: cannot read\n at #begin ()\n at main ()\n",
    });
  });

  test("prints its lines as JSON with --json", () => {
    expect(JSON.parse(translate(NAMES, "--json").stdout)).toEqual({
      stack: ["TypeError: cannot read", " at #begin ()", " at main ()"],
    });
  });

  test("rejects another file with names_invalid", () => {
    const { status, stderr } = translate('{"version":1}', "--json");
    expect([status, JSON.parse(stderr)]).toMatchObject([1, { error: "names_invalid" }]);
  });
});
