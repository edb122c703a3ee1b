/** Sockets on RV32 (boards/rv32/kernel/sockets.c), as printed by native/sockets-test.c. */
import { beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../hosts/peers.js";
import { playScenes } from "./socket-programs.js";

describe.skipIf(isMissing("rv32"))("Sockets on RV32", () => {
  let scenes: Map<string, string[]>;

  beforeAll(async () => {
    scenes = (await playScenes("sockets")).scenes;
  });

  const scene = (name: string) => scenes.get(name);

  test("accept() returns the oldest connection, with the data that it has sent", () => {
    expect(scene("accepting")).toEqual([
      "before:",
      "accept: No more processes",
      "with two: in",
      "accepted: in out",
      "received: early by",
      "received: tes",
      "received: No more processes",
      "name: 192.0.2.10 80",
      "peer: 192.0.2.1 49152",
      "said:  and ended",
      "no socket listens",
    ]);
  });

  test("recv() returns all data before the peer's end and then 0, and send() still works", () => {
    expect(scene("half-close of the peer")).toEqual([
      "closed: in out",
      "received: last",
      "received: 0",
      "received: 0",
      "send: 6",
      "said: answer",
      "shutdown: 0",
      "shut too: in out hung up",
      "send: Broken pipe",
      "said: answer and ended",
    ]);
  });

  test("recv() works after shutdown()", () => {
    expect(scene("half-close of the console")).toEqual([
      "said: all and ended",
      "shut: out",
      "received: still",
    ]);
  });

  test("data sent to a peer that is gone is dropped", () => {
    expect(scene("a peer that has gone")).toEqual(["received: sent", "received: 0", "send: 9"]);
  });

  test("connect() is refused, which is reported later", () => {
    expect(scene("connecting")).toEqual([
      "connect: Connection already in progress",
      "later: in out error hung up",
      "option: 0",
      "error: Connection refused",
      "send: Socket is not connected",
    ]);
  });

  test("unsupported calls and options fail with their errno", () => {
    expect(scene("what is refused")).toEqual([
      "IPv6: Address family not supported by protocol family",
      "blocking: Invalid argument",
      "taken port: Address already in use",
      "no delay: 0",
      "unknown option: Protocol not available",
      "closed: Bad file number",
      "closed twice: Bad file number",
      "closed: invalid",
      "no socket: Socket operation on non-socket",
      "blocking counter: Invalid argument",
    ]);
  });

  test("bind() without a port assigns a free one", () => {
    expect(scene("ports that are given")).toEqual(["differ: 1", "a socket listens: 1"]);
  });

  test("the number of sockets is limited, and closing frees them", () => {
    expect(scene("many")).toEqual(["one more: File descriptor value too large", "after closing: 1"]);
  });

  test("a large transfer arrives whole and in order, in constant memory", () => {
    expect(scene("large")).toEqual(["done"]);
  });
});
