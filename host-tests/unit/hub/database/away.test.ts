/** Errors of an unavailable or slow database, which all give busy. */
import { assert, test } from "vitest";
import { faultOf } from "../../../../hub/api/refusals.js";

const CODES = [
  "ECONNREFUSED",
  "ECONNRESET",
  "08006",
  "57P01",
  "57P03",
  "57014",
  "25P03",
  "53300",
  "SQLITE_BUSY",
];
for (const code of CODES)
  test(`${code} gives busy`, () => {
    assert.equal(faultOf(Object.assign(new Error("of the driver"), { code })).code, "busy");
  });

const MESSAGES = [
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Query read timeout",
];
for (const message of MESSAGES)
  test(`"${message}" gives busy`, () => assert.equal(faultOf(new Error(message)).code, "busy"));

test("an error in a statement does not give busy", () => {
  assert.equal(faultOf(Object.assign(new Error("syntax error"), { code: "42601" })).code, "internal_error");
});
