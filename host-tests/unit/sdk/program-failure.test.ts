/** What is told of a program that has failed to compile a module. */
import { expect, test } from "vitest";
import { type ProgramFailure, saidBy } from "../../../sdk/builder/native/program-failure.js";

const failure = (fields: Partial<ProgramFailure>): ProgramFailure =>
  Object.assign(new Error("Command failed: gcc -I/srv/hub app.c"), fields);

for (const { what, fields, says } of [
  { what: "what it has said", fields: { code: 1, stderr: "app.c: error" }, says: "app.c: error" },
  { what: "its status if it has said nothing", fields: { code: 4, stderr: "\n" }, says: "gcc ended with 4" },
  { what: "its signal", fields: { code: null, signal: "SIGKILL" as const }, says: "gcc ended with SIGKILL" },
])
  test(`A program's failure is told by ${what}`, () => {
    expect(saidBy("gcc", failure(fields))).toBe(says);
  });

test("A program that the computer cannot start is no failure of the module", () => {
  const error = failure({ code: "EAGAIN" });
  expect(() => saidBy("gcc", error)).toThrow(error);
});
