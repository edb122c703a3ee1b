/** E-mail addresses of members. */
import { describe, expect, test } from "vitest";
import { readEmail } from "../../../../hub/teams/email.js";

describe("An e-mail address", () => {
  test("is the same in either case of A to Z", () => {
    expect(readEmail("Ada.L@Example.COM")).toBe("ada.l@example.com");
  });

  test("is another one with a letter that only looks the same, or has the same lower case", () => {
    for (const other of ["\u212aim@example.com", "\u0131da@example.com", "ad\u0430@example.com"])
      expect(readEmail(other)).toBe(other);
    expect(readEmail("\u212aim@example.com")).not.toBe(readEmail("kim@example.com"));
  });

  for (const text of [
    "",
    "ada",
    "ada@",
    "@example.com",
    "a b@example.com",
    "a@b@c",
    "a\n@b.c",
    `${"a".repeat(250)}@b.cd`,
  ])
    test(`is not ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(readEmail(text)).toBeUndefined();
    });
});
