import { expect, test } from "vitest";
import { makeClaimCode, parseClaimCode } from "../../../../hub/auth/tokens.js";

test("A claim code is eight characters of Crockford's base32 in two groups", () => {
  for (let times = 0; times < 1000; times++)
    expect(makeClaimCode()).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
});

test("A claim code is read as generated", () => {
  for (let times = 0; times < 1000; times++) {
    const code = makeClaimCode();
    for (const typed of [code, code.toLowerCase(), code.replace("-", ""), ` ${code.replace("-", " ")} `])
      expect(parseClaimCode(typed)).toBe(code);
  }
});

const TYPED = [
  { typed: "oOiI-lL01", code: "0011-1101" },
  { typed: "AB-CD-EF-GH", code: "ABCD-EFGH" },
  { typed: "", code: undefined },
  { typed: "ABCD-EFG", code: undefined },
  { typed: "ABCD-EFGHJ", code: undefined },
  { typed: "UUUU-UUUU", code: undefined },
  { typed: "ABCD_EFGH", code: undefined },
  { typed: "ABCD-EFG\0", code: undefined },
  { typed: "ÄBCD-EFGH", code: undefined },
];
for (const { typed, code } of TYPED)
  test(`"${typed}" is ${code ?? "no claim code"}`, () => {
    expect(parseClaimCode(typed)).toBe(code);
  });
