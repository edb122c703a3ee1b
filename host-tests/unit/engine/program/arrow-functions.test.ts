/** Declared functions become arrow functions, unless they would mean something else. */
import { describe, expect, test } from "vitest";
import { arrowFunctions } from "../../../../engine/program/arrow-functions.js";

const flat = (text: string) => text.replace(/\s+/g, " ").trim();

describe("Making arrow functions", () => {
  test("changes declared functions, with their parameters and bodies as they are", () => {
    expect(flat(arrowFunctions("function f(a, { b } = {}, ...c) { return a + b; } f(1);"))).toBe(
      "var f = (a, { b } = {}, ...c) => { return a + b; }; f(1);",
    );
  });

  test("puts them first, since functions are called before their declaration", () => {
    const program = arrowFunctions(
      "var x = f(); function f() { return g(); } var y = 2; function g() { return 1; }",
    );
    expect(flat(program)).toBe(
      "var f = () => { return g(); }; var g = () => { return 1; }; var x = f(); var y = 2;",
    );
    expect(new Function(`${program}; return x;`)()).toBe(1);
  });

  test("keeps the exports", () => {
    expect(flat(arrowFunctions("function f() {} export { f as default };"))).toBe(
      "var f = () => {}; export { f as default };",
    );
  });

  test.each([
    ["uses this", "function f() { return this; }"],
    ["uses this in an arrow function", "function f() { return () => this; }"],
    ["uses arguments", "function f() { return arguments[0]; }"],
    ["uses new.target", "function f() { return new.target; }"],
    ["is async", "async function f() {}"],
    ["is a generator", "function* f() {}"],
    ["is in a function", "var g = () => { function f() {} return f; };"],
    ["is an expression", "g(function f() {});"],
    ["is a method", "class C { f() {} }"],
    ["is exported where it is declared", "export function f() {}"],
  ])("leaves a function that %s", (_, program) => {
    expect(arrowFunctions(program)).toBe(program);
  });

  test("refuses a program that calls such a function with new", () => {
    expect(() => arrowFunctions("function F() {} var x = { y: [new F()] };")).toThrow("function F with new");
    expect(() => arrowFunctions("class C {} function f() {} new C(f);")).not.toThrow();
  });
});
