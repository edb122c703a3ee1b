/** What a TLS socket guarantees its caller, over an engine without cryptography. */
import { describe, expect, test } from "vitest";
import { SecureSocket } from "../../../hub-client/secure-socket.js";
import type { TimerHandle } from "../../../protocol/ports/runtime.js";
import { PlainTls, watchedTls } from "../../hosts/plain-tls.js";
import { ScriptedSocket } from "../../hosts/scripted-tcp.js";

const KIB = 1024;
const text = (bytes: Iterable<number>) => String.fromCharCode(...bytes);
const bytesOf = (characters: string) => Uint8Array.from(characters, (character) => character.charCodeAt(0));

/** Timers that the test triggers. */
class HeldTimer {
  readonly #held = new Map<TimerHandle, () => void>();

  set = (callback: () => void): TimerHandle => {
    const handle = {};
    this.#held.set(handle, callback);
    return handle;
  };
  repeat = (): never => {
    throw new Error("nothing repeats");
  };
  clear = (handle: TimerHandle | undefined): void => {
    if (handle) this.#held.delete(handle);
  };

  get count(): number {
    return this.#held.size;
  }

  fire(): void {
    for (const [handle, callback] of [...this.#held]) {
      this.#held.delete(handle);
      callback();
    }
  }
}

interface Scene {
  readonly socket: SecureSocket;
  readonly tcp: ScriptedSocket;
  /** The other end, which receives what was sent. */
  readonly server: PlainTls;
  readonly engine: PlainTls;
  readonly timer: HeldTimer;
  readonly events: string[];
  /** Sends the server's output to the socket, in pieces of that size. */
  deliver(pieceBytes?: number): void;
  /** Sends the socket's output to the server. @returns the text that the server can read */
  collect(): string;
}

interface Habits {
  onReadable?(this: SecureSocket, byteLength: number): void;
  onWritable?(this: SecureSocket, byteLength: number): void;
  onError?(this: SecureSocket): void;
}

function scene(habits: Habits = {}): Scene {
  const { Tls, engines } = watchedTls();
  const timer = new HeldTimer();
  const events: string[] = [];
  const sockets: ScriptedSocket[] = [];
  class Socket extends ScriptedSocket {
    constructor(options: ConstructorParameters<typeof ScriptedSocket>[0]) {
      super(options);
      sockets.push(this);
    }
  }
  const socket = new SecureSocket({
    Socket,
    Tls,
    timer,
    address: "192.0.2.1",
    port: 443,
    serverName: "hub.example",
    onReadable(byteLength) {
      events.push(`readable ${byteLength}`);
      habits.onReadable?.call(socket, byteLength);
    },
    onWritable(byteLength) {
      events.push(`writable ${byteLength}`);
      habits.onWritable?.call(socket, byteLength);
    },
    onError(problem) {
      events.push(problem ?? "end");
      habits.onError?.call(socket);
    },
  });
  const server = new PlainTls({ serverName: "client" });
  const tcp = sockets[0] as ScriptedSocket;
  return {
    socket,
    tcp,
    server,
    timer,
    events,
    engine: engines[0] as PlainTls,
    deliver(pieceBytes = 16 * KIB) {
      while (server.takeable > 0) {
        const piece = new Uint8Array(Math.min(pieceBytes, server.takeable));
        server.take(piece);
        tcp.arrive(piece);
      }
    },
    collect() {
      let collected = "";
      while (tcp.sent.length > 0) {
        server.receive(Uint8Array.from(tcp.sent.splice(0, Math.min(tcp.sent.length, server.receivable))));
        collected += readAll(server);
      }
      return collected;
    },
  };
}

function readAll(engine: PlainTls): string {
  let all = "";
  while (engine.readable > 0) {
    const bytes = new Uint8Array(engine.readable);
    engine.read(bytes);
    all += text(bytes);
  }
  return all;
}

/** A scene in which both ends have shaken hands. */
function openScene(habits: Habits = {}): Scene {
  const open = scene(habits);
  open.tcp.open(4 * KIB);
  open.collect();
  open.deliver();
  return open;
}

const echo = (received: string[]): Habits => ({
  onReadable(byteLength) {
    const bytes = new Uint8Array(byteLength);
    this.read(bytes);
    received.push(text(bytes));
  },
});

describe("a socket over TLS", () => {
  test("can be written to once the handshake is over, not when TCP connects", () => {
    const { tcp, events, collect, deliver } = scene();
    tcp.open(4 * KIB);
    expect(events).toEqual([]);
    collect();
    deliver();
    expect(events).toEqual(["writable 4096"]);
  });

  test("has the peer's address, and the expected host name", () => {
    const { socket, engine } = scene();
    expect([socket.remoteAddress, socket.remotePort]).toEqual(["192.0.2.1", 443]);
    expect(engine.serverName).toBe("hub.example");
  });

  for (const pieceBytes of [1, 2, 7, 4096])
    test(`reads received bytes in pieces of ${pieceBytes}, without a loss`, () => {
      const received: string[] = [];
      const { server, deliver } = openScene(echo(received));
      for (const word of ["one", " two", " three"]) server.write(bytesOf(word));
      deliver(pieceBytes);
      expect(received.join("")).toBe("one two three");
    });

  test("announces readable bytes, and what is left of them when more arrive", () => {
    const { socket, server, deliver, events, timer } = openScene();
    server.write(bytesOf("abcdef"));
    server.write(bytesOf("ghi"));
    deliver();
    expect(events.splice(0)).toEqual(["writable 4096", "readable 6"]);
    expect(socket.read(new Uint8Array(4))).toBe(4);
    expect(timer.count).toBe(0);
    socket.read(new Uint8Array(2));
    expect(events).toEqual([]);
    timer.fire();
    expect(events).toEqual(["readable 3"]);
  });

  test("makes no callback inside its methods", () => {
    const open = openScene({
      onReadable(byteLength) {
        open.events.push("begin");
        this.read(new Uint8Array(byteLength));
        this.write(bytesOf("answer"));
        open.events.push("end");
      },
    });
    open.server.write(bytesOf("a"));
    open.server.write(bytesOf("bc"));
    open.deliver();
    const calls = ["readable 1", "begin", "end", "readable 2", "begin", "end"];
    expect(open.events.filter((event) => !event.startsWith("writable"))).toEqual(calls);
  });

  test("slows down a peer that sends more than is read, and loses nothing", () => {
    const { socket, tcp, server, events, timer } = openScene();
    const piece = new Uint8Array(KIB).fill(120);
    let expected = 0;
    for (; tcp.unreadBytes === 0; expected += piece.length) {
      server.write(piece);
      const ciphertext = new Uint8Array(server.takeable);
      server.take(ciphertext);
      tcp.arrive(ciphertext);
    }
    let received = 0;
    for (let rounds = 0; received < expected && rounds < 100; rounds++) {
      const announced = Number(/^readable (\d+)$/.exec(events.pop() ?? "")?.[1] ?? 0);
      if (announced > 0) received += socket.read(new Uint8Array(announced));
      timer.fire();
    }
    expect(received).toBe(expected);
    expect(tcp.unreadBytes).toBe(0);
  });

  test("takes all of a write that fits, or nothing", () => {
    const { socket, tcp, collect } = openScene();
    expect(() => socket.write(new Uint8Array(5000))).toThrow(RangeError);
    expect(tcp.sent).toEqual([]);
    socket.write(bytesOf("all of it"));
    expect(collect()).toBe("all of it");
  });

  test("sends what TCP takes, the rest later, and announces that there is room again", () => {
    const { socket, tcp, collect, events } = openScene();
    const sent = "x".repeat(4096);
    socket.write(bytesOf(sent));
    socket.write(new Uint8Array());
    expect(events.splice(0)).toEqual(["writable 4096"]);
    let received = collect();
    while (received.length < sent.length) {
      tcp.open(1000);
      received += collect();
    }
    expect(received).toBe(sent);
    expect(events.at(-1)).toBe("writable 4096");
  });

  test("announces the end of the peer after all bytes were read", () => {
    const { socket, tcp, server, deliver, events, timer } = openScene();
    server.write(bytesOf("bye"));
    server.end();
    deliver();
    tcp.end();
    expect(events.splice(0)).toEqual(["writable 4096", "readable 3"]);
    socket.read(new Uint8Array(3));
    timer.fire();
    timer.fire();
    expect(events).toEqual(["end"]);
  });

  test("can still write to a peer that has ended its side", () => {
    const { socket, server, deliver, collect } = openScene();
    server.end();
    deliver();
    socket.write(bytesOf("late"));
    expect(collect()).toBe("late");
  });

  const CUTS = [
    { name: "that cannot be made", make: () => scene(), problem: 'Cannot connect to "hub.example"' },
    {
      name: "that is cut in the handshake",
      make() {
        const open = scene();
        open.tcp.open(4096);
        return open;
      },
      problem: 'Cannot speak TLS with "hub.example": the connection was cut',
    },
    {
      name: "that is cut later",
      make: () => openScene(),
      problem: 'Cannot go on with "hub.example": the connection was cut',
    },
  ];
  for (const { name, make, problem } of CUTS)
    test(`reports once why a connection failed ${name}`, () => {
      const { tcp, events, timer } = make();
      tcp.end();
      timer.fire();
      expect(events.filter((event) => !event.startsWith("writable"))).toEqual([problem]);
    });

  test("reports why the TLS engine failed, alerts the peer, and drops later writes", () => {
    const { socket, tcp, server, deliver, events } = openScene();
    server.refuse();
    deliver();
    expect(events).toEqual(["writable 4096", 'Cannot go on with "hub.example": refused']);
    expect(tcp.sent.length).toBeGreaterThan(0);
    const { length } = tcp.sent;
    socket.write(bytesOf("into the void"));
    expect(tcp.sent).toHaveLength(length);
  });

  test("sends a TLS close before it closes", () => {
    const { socket, tcp, server, engine, collect, timer } = openScene();
    socket.write(bytesOf("all"));
    socket.close();
    socket.close();
    expect(collect()).toBe("all");
    expect(server.phase).toBe("ended");
    expect([tcp.isClosed, engine.isClosed, timer.count]).toEqual([true, true, 0]);
  });

  test("closes after TCP has sent everything, and discards what arrives meanwhile", () => {
    const { socket, tcp, server, engine, collect, deliver, events } = openScene();
    socket.write(new Uint8Array(4096));
    socket.close();
    expect(tcp.isClosed).toBe(false);
    server.write(bytesOf("unheard"));
    deliver();
    tcp.open(4096);
    collect();
    expect(server.phase).toBe("ended");
    expect([tcp.isClosed, engine.isClosed, tcp.unreadBytes]).toEqual([true, true, 0]);
    expect(events).toEqual(["writable 4096"]);
  });

  test("closes at once where the connection is lost before the rest was sent", () => {
    const { socket, tcp, engine, timer, events } = openScene();
    socket.write(new Uint8Array(4096));
    socket.close();
    tcp.end();
    expect([tcp.isClosed, engine.isClosed, timer.count]).toEqual([true, true, 0]);
    expect(events).toEqual(["writable 4096"]);
  });

  test("times out closing while the peer takes nothing", () => {
    const { socket, tcp, timer } = openScene();
    socket.write(new Uint8Array(4096));
    socket.close();
    timer.fire();
    expect([tcp.isClosed, timer.count]).toEqual([true, 0]);
  });

  test("makes no callback once closed, not even from inside a callback", () => {
    const open = openScene({ onReadable: () => open.socket.close() });
    open.server.write(bytesOf("one"));
    open.server.write(bytesOf("two"));
    open.deliver();
    open.timer.fire();
    expect(open.events).toEqual(["writable 4096", "readable 3"]);
    for (const use of [() => open.socket.read(new Uint8Array(1)), () => open.socket.write(new Uint8Array(1))])
      expect(use).toThrow("Cannot use a closed connection");
  });

  test("holds nothing if its options are invalid", () => {
    const { Tls, engines } = watchedTls();
    const timer = new HeldTimer();
    const make = (port: number, serverName: string) =>
      new SecureSocket({ Socket: ScriptedSocket, Tls, timer, address: "192.0.2.1", port, serverName });
    expect(() => make(443, "")).toThrow(RangeError);
    expect(() => make(0, "hub.example")).toThrow(RangeError);
    expect(engines.map(({ isClosed }) => isClosed)).toEqual([true]);
  });
});
