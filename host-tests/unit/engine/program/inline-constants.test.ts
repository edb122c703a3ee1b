/** Constants are written where they are used, unless something could see the difference. */
import { describe, expect, test } from "vitest";
import { inlineConstants, inlineLiterals } from "../../../../engine/program/inline-constants.js";

const flat = (text: string) => text.replace(/\s+/g, " ").trim();

describe("Inlining the constants of a program", () => {
  test("replaces numbers and booleans, and leaves out their variables", () => {
    expect(flat(inlineLiterals("var a = 5, b = -1, c = true; f(a, b, c);"))).toBe("f((5), (-1), (true));");
  });

  test.each([
    ["first", "var a = 5, b = g(), c = h(); f(a, b, c);", "var b = g(), c = h(); f((5), b, c);"],
    ["middle", "var b = g(), a = 5, c = h(); f(a, b, c);", "var b = g(), c = h(); f((5), b, c);"],
    ["last", "var b = g(), a = 5, c = 6; f(a, b, c);", "var b = g(); f((5), b, (6));"],
  ])("leaves the other variables of a declaration, the constant being the %s", (_, program, inlined) => {
    expect(flat(inlineLiterals(program))).toBe(inlined);
  });

  test("computes constants from constants", async () => {
    expect(await inlineConstants("var a = 5, b = a * 4, c = b + 1; f(c);")).toBe("f(21);\n");
  });

  test("writes the name of a property in full, and no other names of properties", () => {
    expect(inlineLiterals("var a = 5; f({ a, b: a, [a]: 1 }, { a: 2 }, x.a, x[a]);").trim()).toBe(
      "f({ a: (5), b: (5), [(5)]: 1 }, { a: 2 }, x.a, x[(5)]);",
    );
  });

  test("leaves the names of methods and fields", () => {
    expect(inlineLiterals("var a = 5; class C { a = a; static m() {} [a]() { return a; } }").trim()).toBe(
      "class C { a = (5); static m() {} [(5)]() { return (5); } }",
    );
  });

  test.each([
    ["assigned", "var a = 5; function f() { a = 6; }"],
    ["counted", "let a = 5; function f() { a++; }"],
    ["assigned by a pattern", "let a = 5; [a] = f();"],
    ["assigned by a loop", "let a = 5; for (a of f()) g(a);"],
    ["hidden by a parameter", "var a = 5; function f(a) { return a; }"],
    ["hidden by a variable", "var a = 5; function f() { let a = g(); return a; }"],
    ["hidden by a variable of a pattern", "var a = 5; function f() { const { b: [a] } = g(); return a; }"],
    ["hidden by a caught error", "var a = 5; try { f(); } catch (a) { g(a); }"],
    ["hidden by a function", "var a = 5; f(function a() { return a; });"],
    ["hidden by a class", "var a = 5; f(class a {});"],
    ["the name of a label", "var a = 5; a: for (;;) break a;"],
    ["exported", "var a = 5; export { a };"],
    ["the default export", "var a = 5; export default a;"],
    ["exported where it is declared", "export const a = 5; f(a);"],
    ["a text", 'var a = "text"; f(a);'],
    ["in a function", "function f() { var a = 5; return a; }"],
  ])("leaves a variable that is %s", (_, program) => {
    expect(inlineLiterals(program)).toBe(program);
  });
});
