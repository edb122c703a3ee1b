import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AdmittedConnection,
  chooseVictim,
  crowdOf,
  hasPlace,
  roomFor,
} from "../../../../device/services/http/room.js";

const busy = (address: string | undefined): AdmittedConnection => ({ address, idleSinceMs: undefined });
const idle = (address: string | undefined, idleSinceMs: number): AdmittedConnection => ({
  address,
  idleSinceMs,
});
const slow = (address: string): AdmittedConnection => ({ ...busy(address), isSlow: true });
const A = "192.0.2.1";
const B = "192.0.2.2";

describe("The connection closed for another one", () => {
  const CASES: { name: string; held: AdmittedConnection[]; victim: number | undefined }[] = [
    { name: "is none if all are in use", held: [busy(A), busy(A), busy(B)], victim: undefined },
    { name: "is none if there are none", held: [], victim: undefined },
    { name: "is the longest idle one", held: [idle(A, 3), idle(A, 1), idle(A, 2)], victim: 1 },
    {
      name: "belongs to the address with the most, though another one is idle for longer",
      held: [idle(B, 1), idle(A, 9), busy(A)],
      victim: 1,
    },
    {
      name: "belongs to another address if those of the address with the most are in use",
      held: [busy(A), busy(A), idle(B, 5)],
      victim: 2,
    },
    {
      name: "is the longest idle one among addresses with equally many",
      held: [idle(A, 7), idle(B, 6)],
      victim: 1,
    },
    {
      name: "counts an IPv6 network as one address",
      held: [idle(A, 1), idle("2001:db8::1", 3), idle("2001:db8:0:0:ffff::2", 2)],
      victim: 2,
    },
    {
      name: "counts two IPv6 networks as two",
      held: [idle("2001:db8:0:1::1", 2), idle("2001:db8:0:2::1", 1), idle(A, 0)],
      victim: 2,
    },
    {
      name: "counts IPv4-mapped IPv6 as IPv4",
      held: [idle(B, 1), idle(`::ffff:${A}`, 3), idle("::ffff:c000:201", 2), busy(A)],
      victim: 2,
    },
    {
      name: "does not count IPv4-mapped IPv6 as one IPv6 network",
      held: [idle(`::ffff:${A}`, 3), idle(`::ffff:${B}`, 1)],
      victim: 1,
    },
  ];
  for (const { name, held, victim } of CASES)
    test(name, () => expect(chooseVictim(held)).toBe(victim === undefined ? undefined : held[victim]));
});

describe("A place", () => {
  test("is free for any address up to the last but one", () => {
    expect(hasPlace(new Set([busy(A), busy(A)]), A, 4)).toBe(true);
  });
  test("that is the last one goes to an address without a connection", () => {
    const held = new Set([busy(A), busy(A), busy(A)]);
    expect(roomFor(held, A, 4)).toBeUndefined();
    expect(roomFor(held, `::ffff:${A}`, 4)).toBeUndefined();
    expect(roomFor(held, B, 4)).toBe("free");
    expect(roomFor(new Set([busy("2001:db8::1"), busy(A), busy(A)]), "2001:db8::2", 4)).toBeUndefined();
  });
  test("beside the last one is made by closing an idle connection", () => {
    const victim = idle(A, 1);
    expect(roomFor(new Set([busy(A), victim, busy(A)]), A, 4)).toBe(victim);
  });
  test("is made for an address without a connection by closing a slow one of an address with three", () => {
    const [one, two] = [slow(A), slow(B)];
    const held = new Set([busy(A), one, slow(A), two]);
    expect(roomFor(held, "192.0.2.3", 4)).toBe(one);
    for (const address of [A, B, `::ffff:${A}`]) expect(roomFor(held, address, 4)).toBeUndefined();
    expect(roomFor(new Set([busy(A), busy(A), busy(A), two]), "192.0.2.3", 4)).toBeUndefined();
    expect(roomFor(new Set([one, slow(A), two, slow(B)]), "192.0.2.3", 4)).toBeUndefined();
  });
  test("is made for any address if all are taken and one is idle", () => {
    const victim = idle(A, 1);
    for (const address of [A, B, undefined])
      expect(roomFor(new Set([busy(A), victim, busy(B), busy(B)]), address, 4)).toBe(victim);
  });
  test("is not made if all are taken and in use", () => {
    expect(roomFor(new Set([busy(A), busy(A), busy(A), busy(A)]), B, 4)).toBeUndefined();
  });
});

test("However one address connects, another one without a connection gets a place", () => {
  const LIMIT = 8;
  const step = fc.record({ connects: fc.boolean(), isIdle: fc.boolean(), which: fc.nat(LIMIT - 1) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const held = new Set<AdmittedConnection>();
      let nowMs = 0;
      for (const { connects, isIdle, which } of steps) {
        nowMs++;
        const room = connects ? roomFor(held, A, LIMIT) : [...held][which];
        if (room && room !== "free") held.delete(room);
        if (connects && room) held.add(isIdle ? idle(A, nowMs) : busy(A));
        expect(held.size).toBeLessThan(LIMIT);
        expect(roomFor(held, B, LIMIT)).toBe("free");
      }
    }),
  );
});

describe("The connections closed first when the cable needs memory", () => {
  test("belong to addresses with three or more", () => {
    const held = [busy(A), busy(B), busy(A), slow(A), idle(B, 1)];
    expect(crowdOf(held)).toEqual([held[0], held[2], held[3]]);
  });

  test("are none if no address has that many", () => {
    expect(crowdOf([busy(A), busy(A), busy(B)])).toEqual([]);
  });
});
