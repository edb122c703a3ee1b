/** Names that are looked up for owners that may end before (docs/spec/capabilities.md#network-names). */
import { beforeEach, expect, test } from "vitest";
import { GuestConnections } from "../../../../device/services/apps/guest-connections.js";
import { Lookups } from "../../../../device/services/network/lookups.js";
import type { OnResolved, Resolver } from "../../../../protocol/ports/network.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

/** A resolver whose name server answers when the test says so. */
class SilentResolver implements Resolver {
  readonly asked: { readonly name: string; readonly answer: OnResolved }[] = [];

  resolve(name: string, answer: OnResolved): void {
    if (name === "") throw new RangeError("no name");
    this.asked.push({ name, answer });
  }

  get names(): readonly string[] {
    return this.asked.map(({ name }) => name);
  }
}

let resolver: SilentResolver;
let lookups: Lookups;
let answers: string[];
beforeEach(() => {
  resolver = new SilentResolver();
  lookups = new Lookups(resolver, 2);
  answers = [];
});

const ask = (name: string) =>
  lookups.resolve(name, (error, address) => void answers.push(`${name}: ${address ?? error?.message}`));

test("Two names are looked up at a time, and the next ones in the order in which they were asked for", () => {
  for (const name of ["a", "b", "c", "d"]) ask(name);
  expect(resolver.names).toEqual(["a", "b"]);
  resolver.asked[1]?.answer(undefined, "192.0.2.2");
  expect(resolver.names).toEqual(["a", "b", "c"]);
  resolver.asked[0]?.answer(new Error("unknown"), undefined);
  expect([resolver.names.length, answers]).toEqual([4, ["b: 192.0.2.2", "a: unknown"]]);
});

test("A name that is being looked up is not looked up twice", () => {
  ask("a");
  ask("a");
  expect(resolver.names).toEqual(["a"]);
  resolver.asked[0]?.answer(undefined, "192.0.2.1");
  expect(answers).toEqual(["a: 192.0.2.1", "a: 192.0.2.1"]);
  ask("a");
  expect(resolver.names).toEqual(["a", "a"]);
});

test("A look-up counts after the end of who has asked, who hears no more of it", () => {
  for (const name of ["a", "b"]) ask(name)();
  ask("c");
  ask("d")();
  expect(resolver.names).toEqual(["a", "b"]);
  resolver.asked[0]?.answer(undefined, "192.0.2.1");
  expect(resolver.names).toEqual(["a", "b", "c"]);
  resolver.asked[1]?.answer(undefined, "192.0.2.2");
  resolver.asked[2]?.answer(undefined, "192.0.2.3");
  expect([resolver.names, answers]).toEqual([["a", "b", "c"], ["c: 192.0.2.3"]]);
});

test("An address waits for no name", () => {
  for (const name of ["a", "b", "c", "192.0.2.7", "2001:db8::7"]) ask(name);
  expect(resolver.names).toEqual(["a", "b", "192.0.2.7", "2001:db8::7"]);
  resolver.asked[2]?.answer(undefined, "192.0.2.7");
  expect(answers).toEqual(["192.0.2.7: 192.0.2.7"]);
});

test("What is no name is an error, at once or when its turn comes", () => {
  expect(() => ask("")).toThrow(RangeError);
  for (const name of ["a", "b", "", "c"]) ask(name);
  resolver.asked[0]?.answer(undefined, "192.0.2.1");
  expect([resolver.names, answers]).toEqual([
    ["a", "b", "c"],
    [": no name", "a: 192.0.2.1"],
  ]);
});

test("An app that is started and ended time and again, with a name that nobody answers, has one look-up under way", async () => {
  const clock = new EmulatedClock();
  for (let start = 0; start < 15; start++) {
    const Socket = undefined as never;
    const connections = new GuestConnections({ Socket, lookups, timer: clock, isOwnPort: () => false });
    const connecting = connections.connect("never.example", 80);
    connections.close();
    expect(await connecting).toBe(-5);
  }
  expect([resolver.names, clock.timerCount]).toEqual([["never.example"], 0]);
});

test("A connection to a name that nobody answers is -2 after ten seconds", async () => {
  const clock = new EmulatedClock();
  const connections = new GuestConnections({
    Socket: undefined as never,
    lookups,
    timer: clock,
    isOwnPort: () => false,
  });
  let result: number | undefined;
  const connecting = connections.connect("never.example", 80).then((settled) => {
    result = settled;
  });
  clock.advance(9999);
  await Promise.resolve();
  expect(result).toBeUndefined();
  clock.advance(1);
  await connecting;
  expect(result).toBe(-2);
});
