/**
 * What the engine's patches touch besides exceptions: JSON of strings and integers, integers as text, views of typed
 * arrays, species of constructors, and properties of instances, prototypes and exotic objects. The lines are the same
 * on every engine.
 */

/** A line for each expression, one at a time: its result, or the name of the error that it throws. */
export function* valueLines(): Generator<string> {
  yield* writtenStrings();
  yield* readStrings();
  yield* integers();
  yield* readNumbers();
  yield* views();
  yield* species();
  yield* oddConstructors();
  yield* detachedBuffers();
  yield* properties();
  yield* variables();
}

function line(name: string, evaluate: () => unknown): string {
  try {
    return `${name}: ${shown(evaluate())}`;
  } catch (error) {
    return `${name}: ${(error as Error).name}`;
  }
}

/** ASCII, so that no line depends on how an engine keeps strings. */
function shown(value: unknown): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${value.byteOffset}+${value.byteLength}`;
  const codes = [...String(value)].map((character) => character.codePointAt(0) ?? 0);
  return codes.map((code) => (code > 32 && code < 127 ? String.fromCharCode(code) : `<${code}>`)).join("");
}

/** Units of UTF-16: all of Latin 1, ends of the lengths in UTF-8, surrogates alone and in pairs. */
const UNITS = Object.freeze([
  ...Array.from({ length: 0x100 }, (_, unit) => unit),
  ...[0x7ff, 0x800, 0x2028, 0x2029, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xffff],
]);

function* writtenStrings(): Generator<string> {
  for (const unit of UNITS) {
    const character = String.fromCharCode(unit);
    yield line(`write ${unit}`, () => JSON.stringify(character));
    yield line(`write a${unit}b`, () =>
      JSON.stringify({ a: `a${character}b`, b: [`${character}${character}`] }),
    );
  }
  const long = `${"x".repeat(300)}"${"y".repeat(200)}\u0001\ud83d\ude00${"\\".repeat(40)}`;
  yield line("write long", () => JSON.stringify([long, ""]));
  // Around 1 KiB, where the text grows: its end falls on each side of a run, an escape and a character of several bytes.
  for (let length = 1010; length < 1030; length++) {
    const run = "z".repeat(length);
    for (const value of [run, `${run}"${run}`, `${run}\ud83d\ude00`, `\0${run}\u007f`])
      yield line(`write and read ${length}`, () => {
        const text = JSON.stringify([value, -length]);
        const [read] = JSON.parse(text) as [string];
        return `${text.endsWith(`",-${length}]`)} ${read === value} ${JSON.stringify([read, -length]) === text}`;
      });
  }
  yield line("write names", () => JSON.stringify({ 'a"b': 1, "\n": 2, "\ud800": 3, "": 4 }));
}

function* readStrings(): Generator<string> {
  const texts = UNITS.map((unit) => `"a${String.fromCharCode(unit)}b"`);
  const others = [
    '"',
    '"a',
    '"\\u0041\\n\\"\\\\\\/"',
    '"\\x"',
    '"\\u12"',
    '{"a\\tb":"c","":""}',
    '"\\ud83d\\ude00"',
    '""',
  ];
  for (const text of [...texts, ...others])
    yield line(`read ${shown(text)}`, () => JSON.stringify(JSON.parse(text)));
}

function* integers(): Generator<string> {
  const powers = [
    0,
    1,
    9,
    10,
    99,
    100,
    123_456_789,
    999_999_999,
    1_000_000_000,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 53 - 1,
  ];
  for (const number of powers.flatMap((value) => [value, -value])) {
    yield line(`text ${shown(number)}`, () => String(number));
    yield line(`json ${shown(number)}`, () => JSON.stringify({ 7: number, n: [number | 0] }));
  }
}

function* readNumbers(): Generator<string> {
  const texts = [
    ...["0", "-0", "1", "-1", "12", "999999999", "1000000000", "2147483647", "2147483648", "-2147483648"],
    ...[
      "123456789012345678",
      "1.5",
      "12.50",
      "1e3",
      "1E-2",
      "5e-324",
      "1e999",
      "0.1",
      "00",
      "01",
      "1.",
      "1e",
      "-",
    ],
    ...["--1", "+1", ".5", "1x", "1 2", " 7 ", "0x1", "1_0", "9".repeat(200)],
  ];
  for (const text of texts) {
    yield line(`number ${text}`, () => JSON.parse(text));
    yield line(`numbers ${text}`, () => JSON.stringify(JSON.parse(`{"a":[${text},${text}]}`)));
  }
}

function* views(): Generator<string> {
  const types = [
    Uint8Array,
    Int8Array,
    Uint8ClampedArray,
    Uint16Array,
    Int32Array,
    Float32Array,
    Float64Array,
  ];
  const ends: unknown[] = [
    undefined,
    0,
    1,
    2,
    5,
    8,
    9,
    -1,
    -3,
    -9,
    1.9,
    -1.9,
    Number.NaN,
    "2",
    null,
    Infinity,
    -Infinity,
    2 ** 32,
  ];
  for (const Type of types) {
    const view = new Type(new ArrayBuffer(128), 16, 8) as Uint8Array;
    for (const from of ends)
      for (const to of ends)
        yield line(`${Type.name} ${String(from)} ${String(to)}`, () =>
          view.subarray(from as number, to as number).subarray(1),
        );
  }
}

interface Resizable extends ArrayBuffer {
  resize(byteLength: number): void;
}

function* species(): Generator<string> {
  const made: string[] = [];
  class Named extends Uint8Array {}
  class Counted extends Uint8Array {
    constructor(...of: [ArrayBuffer, number, number]) {
      super(...of);
      made.push(of.slice(1).join("+"));
    }
  }
  class Other extends Uint8Array {
    static get [Symbol.species]() {
      return Uint16Array as unknown as typeof Uint8Array;
    }
  }
  class Plain extends Uint8Array {
    static get [Symbol.species]() {
      return undefined as unknown as typeof Uint8Array;
    }
  }
  class Wrong extends Uint8Array {
    static get [Symbol.species]() {
      return {} as typeof Uint8Array;
    }
  }
  class List extends Array<number> {}
  class Later extends Promise<number> {}
  const bytes = new ArrayBuffer(12);
  const withConstructor = (value: unknown) =>
    Object.defineProperty(new Uint8Array(bytes), "constructor", { value });
  const shrinking = () => {
    const resizable = ArrayBuffer as unknown as new (byteLength: number, options: object) => Resizable;
    const buffer = new resizable(12, { maxByteLength: 16 });
    const from = {
      valueOf: () => {
        buffer.resize(6);
        return 1;
      },
    };
    return new Uint8Array(buffer, 4, 8).subarray(from as unknown as number, 3);
  };
  yield* [
    line("named", () => new Named(bytes, 2, 8).subarray(1, 3)),
    line("counted", () => new Counted(bytes, 2, 8).subarray(1, 3)),
    line("made", () => made.join(" ")),
    line("other", () => new Other(bytes, 2, 8).subarray(0, 3)),
    line("odd other", () => new Other(bytes, 1, 8).subarray(0, 3)),
    line("plain", () => new Plain(bytes, 2, 8).subarray(1, 3)),
    line("wrong", () => new Wrong(bytes, 2, 8).subarray(1, 3)),
    line("no constructor", () => withConstructor(undefined).subarray(1, 3)),
    line("number", () => withConstructor(1).subarray(1, 3)),
    line("a constructor without species", () => withConstructor({}).subarray(1, 3)),
    line("an arrow's species", () => withConstructor({ [Symbol.species]: () => 0 }).subarray(1, 3)),
    line("another type", () => withConstructor(Uint16Array).subarray(2, 4)),
    line("an array's species", () => withConstructor(Array).subarray(1, 3)),
    line("shrinking", shrinking),
    line("no typed array", () => Uint8Array.prototype.subarray.call([1, 2] as unknown as Uint8Array, 1)),
    line("list", () => List.from([1, 2, 3]).map((value) => value + 1).constructor.name),
    line("list of another", () => {
      const list = List.from([1, 2, 3]);
      Object.defineProperty(list, "constructor", { value: { [Symbol.species]: Uint8Array } });
      return list.slice(1).constructor.name;
    }),
    line("promise", () => new Later(() => {}).then(() => 1).constructor.name),
    line("species of a call", () => {
      const getter = Object.getOwnPropertyDescriptor(Array, Symbol.species)?.get;
      return getter?.call(7);
    }),
  ];
}

/** Constructors that only seem to be the engine's own, or to have its species. */
function* oddConstructors(): Generator<string> {
  const getter = Object.getOwnPropertyDescriptor(Array, Symbol.species)?.get as () => unknown;
  const withSpecies = (value: object) => Object.defineProperty(value, Symbol.species, { get: getter });
  const viewWith = (value: unknown) => Object.defineProperty(new Uint8Array(4), "constructor", { value });
  const read: string[] = [];
  const proxy = new Proxy(Uint8Array, {
    get(target, name, receiver) {
      read.push(String(name));
      return Reflect.get(target, name, receiver);
    },
    construct(target, values, newTarget) {
      read.push(`new with ${values.length}`);
      return Reflect.construct(target, values, newTarget);
    },
  });
  const moved = Object.setPrototypeOf(new Uint8Array(4), Uint32Array.prototype) as Uint8Array;
  const bare = Object.setPrototypeOf(new Uint8Array(4), null) as Uint8Array;
  const { subarray } = Uint8Array.prototype;
  function makes(...of: [ArrayBuffer, number, number]) {
    return new Uint8Array(...of);
  }
  yield* [
    line("a proxy", () => viewWith(proxy).subarray(1).length),
    line("read from it", () => read.join(" ")),
    line("bound", () => viewWith({ [Symbol.species]: Uint8Array.bind(null) }).subarray(1).length),
    line("the engine's getter on an object", () => viewWith(withSpecies({})).subarray(1)),
    line("on an arrow", () => viewWith(withSpecies(() => 1)).subarray(1)),
    line("on a function", () => viewWith(withSpecies(makes)).subarray(1).length),
    line("on a bound function", () => viewWith(withSpecies(makes.bind(null))).subarray(1).length),
    line("another prototype", () => subarray.call(moved, 1)),
    line("no prototype", () => Object.getPrototypeOf(subarray.call(bare, 1)) === Uint8Array.prototype),
    line("inherited", () => subarray.call(Object.create(new Uint8Array(4)), 1)),
    line("a promise's arrow", () => {
      const promise = Object.defineProperty(Promise.resolve(1), "constructor", { value: () => 1 });
      return promise.then(() => 1).constructor.name;
    }),
  ];
}

interface Transferable extends ArrayBuffer {
  transfer(): ArrayBuffer;
}

/** A buffer without bytes has no views, not even empty ones. */
function* detachedBuffers(): Generator<string> {
  const bufferOf = (byteLength: number) => new ArrayBuffer(byteLength) as Transferable;
  const view = new Uint8Array(bufferOf(8), 2, 4);
  const empty = new Uint8Array(bufferOf(0));
  const during = new Uint8Array(bufferOf(8), 2, 4);
  const detachIt = ({ buffer }: Uint8Array) => {
    if ("transfer" in buffer) (buffer as Transferable).transfer();
    else structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }); // Node 20
  };
  const from = {
    valueOf: () => {
      detachIt(during);
      return 0;
    },
  };
  const reading = new Uint8Array(bufferOf(8));
  Object.defineProperty(reading, "constructor", {
    get: () => {
      detachIt(reading);
      return Uint8Array;
    },
  });
  detachIt(view);
  detachIt(empty);
  yield* [
    line("detached", () => view.subarray(0, 0)),
    line("detached and empty", () => empty.subarray()),
    line("detached by an argument", () => during.subarray(from as unknown as number)),
    line("detached by its constructor", () => reading.subarray()),
  ];
}

function* properties(): Generator<string> {
  class Base {
    a = 1;
    method() {
      return "base";
    }
    get both() {
      return `${this.a}${this.method()}`;
    }
  }
  class Derived extends Base {
    b = 2;
    override method() {
      return `derived ${super.method()}`;
    }
  }
  const proxied = Object.setPrototypeOf(
    { own: 1 },
    new Proxy({}, { get: (_, name) => `trap ${String(name)}` }),
  );
  const overArray = Object.setPrototypeOf({ own: 1, 5: "five" }, [10, 20]);
  const overBytes = Object.setPrototypeOf({ own: 1 }, Uint8Array.of(7, 8));
  const overArguments = (function listed(..._: unknown[]) {
    // biome-ignore lint/complexity/noArguments: an exotic object of its own
    return Object.setPrototypeOf({}, arguments);
  })("first", "second");
  yield* [
    line("inherited", () => new Derived().both),
    line("missing", () => (new Derived() as unknown as Record<string, unknown>)["nothing"]),
    line("through a proxy", () => `${proxied.own} ${proxied.name} ${proxied[3]}`),
    line(
      "over an array",
      () => `${overArray[0]} ${overArray[1]} ${overArray[2]} ${overArray[5]} ${overArray.length}`,
    ),
    line(
      "over bytes",
      () => `${overBytes.own} ${overBytes[0]} ${overBytes[1]} ${overBytes["-0"]} ${overBytes["1.5"]}`,
    ),
    line(
      "over arguments",
      () => `${overArguments[0]} ${overArguments[1]} ${overArguments[2]} ${overArguments.length}`,
    ),
    line(
      "of a string",
      () => `${"abc"[1]} ${"abc".length} ${("abc" as unknown as Record<string, unknown>)["x"]}`,
    ),
    line("without a prototype", () => Object.create(null).toString),
    line("of nothing", () => (undefined as unknown as { a: number }).a),
  ];
}

/** Variables without a value, where the stack held other values before. */
function* variables(): Generator<string> {
  const fill = (depth: number): number => {
    const [half, text, object, list] = [depth / 2, `${depth}`, { depth }, [depth]];
    return depth === 0 ? text.length : fill(depth - 1) + half + object.depth + (list[0] as number);
  };
  const unset = (isInner: boolean) => {
    let one: unknown;
    let other: unknown;
    const both = () => [one, other];
    const shown: unknown[] = [
      one,
      typeof other,
      one === other,
      Object.is(one, other),
      `${one}`,
      [one].includes(other),
    ];
    shown.push(
      new Map([[one, 1]]).get(other),
      new Set([one, other]).size,
      JSON.stringify({ one, list: [other] }),
    );
    if (isInner) {
      let inner: unknown;
      shown.push(inner, (() => inner === one)());
    }
    return [...shown, ...both()].map(String).join(" ");
  };
  function* paused() {
    let one: unknown;
    yield `${one}`;
    let other: unknown;
    yield `${other}`;
    for (let at = 0, none: unknown; at < 2; at++) yield `${at} ${none}`;
    return `${one === other}`;
  }
  for (const isInner of [false, true])
    yield line(`unset ${isInner}`, () => {
      fill(20);
      return unset(isInner);
    });
  yield line("unset in a generator", () => {
    const generator = paused();
    const values: string[] = [];
    for (let next = generator.next(); ; next = generator.next()) {
      fill(20);
      values.push(next.value);
      if (next.done) return values.join(", ");
    }
  });
}
