/** Private members become properties with short names, and what would see the difference is refused. */
import { describe, expect, test } from "vitest";
import { renamePrivate, shortenNames } from "../../../../engine/program/short-names.js";

/** Runs a program, which sets `result`, with its private members and without. */
async function results(program: string): Promise<unknown[]> {
  const { program: short } = await shortenNames(program);
  expect(short).not.toMatch(/#\w/);
  return [program, short].map((text) => {
    const context: { result?: unknown } = {};
    new Function("context", text.replace(/^export /gm, ""))(context);
    return context.result;
  });
}

function withBothResults(expected: unknown): unknown[] {
  return [expected, expected];
}

describe("A program with short names", () => {
  test("has the same fields, methods, accessors and statics", async () => {
    const program = `
      class Counter {
        static #made = 0;
        static get made() { return Counter.#made; }
        #count = 0;
        constructor(step) { this.#step = step; Counter.#made++; }
        #step;
        #next() { return (this.#count += this.#step); }
        get #twice() { return this.#next() * 2; }
        set #reset(value) { this.#count = value; }
        run() { this.#reset = 10; return [this.#next(), this.#twice, this.#other?.x]; }
        #other;
      }
      context.result = [new Counter(2).run(), new Counter(3).run(), Counter.made];`;
    expect(await results(program)).toEqual(withBothResults([[12, 28, undefined], [13, 32, undefined], 2]));
  });

  test("keeps fields of the same name apart in a class and its superclasses", async () => {
    const program = `
      class A { #x = 1; get a() { return this.#x; } }
      class B extends A { #x = 2; get b() { return this.#x; } }
      var C = class _C extends B { #x = 3; get all() { return [this.a, this.b, this.#x]; } };
      context.result = new C().all;`;
    expect(await results(program)).toEqual(withBothResults([1, 2, 3]));
  });

  test("uses one name for fields of the same name in unrelated classes, the shortest for the most frequent", () => {
    const { text, members } = renamePrivate(
      "class A { #rare; #x; f() { return this.#x; } } class B { #x; f() { return this.#x; } }",
    );
    expect(members).toEqual({ _0: "#x", _1: "#rare" });
    expect(text).toBe("class A { _1; _0; f() { return this._0; } } class B { _0; f() { return this._0; } }");
  });

  test("shares a name among four fields at most, of unrelated classes", () => {
    const classes = ["a", "b", "c", "d", "e"].map((name) => `class ${name.toUpperCase()} { #${name}; }`);
    const { text, members } = renamePrivate(classes.join(" "));
    expect(members).toEqual({ _0: "#a|#b|#c|#d", _1: "#e" });
    expect(text).toBe("class A { _0; } class B { _0; } class C { _0; } class D { _0; } class E { _1; }");
  });

  test("shares no name between fields that an instance has together, whoever declares them", async () => {
    const program = `
      class A { #a = 1; get a() { return this.#a; } }
      class B extends A { #b = 2; get b() { return this.#b; } }
      class C extends B { #c = 3; get c() { return this.#c; } }
      class D extends A { #d = 4; get d() { return this.#d; } }
      context.result = [new C(), new D()].map(({ a, b, c, d }) => [a, b, c, d]);`;
    expect(await results(program)).toEqual(
      withBothResults([
        [1, 2, 3, undefined],
        [1, undefined, undefined, 4],
      ]),
    );
    expect(renamePrivate(program).members).toEqual({ _0: "#a", _1: "#b|#d", _2: "#c" });
  });

  test("reaches the fields of an outer class from an inner one", async () => {
    const program = `
      class Outer {
        #x = 1;
        inner() {
          const outer = this;
          return new (class Inner { #y = 2; sum() { return outer.#x + this.#y; } })();
        }
      }
      context.result = new Outer().inner().sum();`;
    expect(await results(program)).toEqual(withBothResults(3));
  });

  test("keeps # in strings, templates and regular expressions", () => {
    const program = 'const a = ["#x", `#x and #x`, /#x/]; class A { #x = a; /* #x */ }';
    expect(renamePrivate(program).text).toBe(
      'const a = ["#x", `#x and #x`, /#x/]; class A { _0 = a; /* #x */ }',
    );
  });

  test("has a map of the names of its functions", async () => {
    const { program, names } = await shortenNames(
      "function first() { const inner = () => first; return inner; } export class Last { at() { return first(); } }",
    );
    const [, first = ""] = /^function (\w+)/.exec(program) ?? [];
    const [, inner = ""] = /const (\w+) =/.exec(program) ?? [];
    expect([names.functions[first], names.functions[inner]]).toEqual(["first", "inner"]);
    expect(first).toHaveLength(1);
  });

  test("may extend a class of the platform", () => {
    expect(renamePrivate("class A extends Error { #x; }").text).toBe("class A extends Error { _0; }");
  });

  test.each([
    ["#x in", "class A { #x; static is(o) { return #x in o; } }"],
    ["...this", "class A { #x; f() { return { ...this }; } }"],
    ["Object of this", "class A { #x; f() { return Object.keys(this); } }"],
    ["Object of this", "class A { #x; constructor() { Object.freeze(this); } }"],
    ["JSON of this", "class A { #x; f() { return JSON.stringify(this); } }"],
    ["for (… in this)", "class A { #x; f() { for (const a in this) a; } }"],
    ["a superclass that is an expression", "class A extends mixed() { #x; }"],
    ["two classes with the name A", "{ class A { #x; } } { class A { #y; } }"],
    ["a property with the name _0", "class A { #x; f(o) { return o._0; } }"],
    ["a property with the name _a1", "class A { #x; f() { return { _a1: 1 }; } }"],
  ])("is refused with %s", (what, program) => {
    expect(() => renamePrivate(program)).toThrow(
      `Cannot make private members properties, because the program has ${what}`,
    );
  });
});
