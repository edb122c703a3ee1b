/** Refusals of connections that there is no memory for (docs/spec/memory.md#refused-work). */
import { expect, test } from "vitest";
import { MemoryRefusal } from "../../../../device/services/http/response.js";
import type { Tcp, TcpSocket } from "../../../../protocol/ports/network.js";
import { readResponse } from "./served.js";

/** Sockets that never become writable by themselves. */
function sockets() {
  const open = new Set<string>();
  const writable = new Map<string, () => void>();
  const answered: string[] = [];
  const texts: string[] = [];
  let count = 0;
  const accepted = (remoteAddress: string) =>
    ({ remoteAddress, id: `${remoteAddress} ${count++}`, close: () => {} }) as unknown as TcpSocket;
  class Socket {
    readonly #id: string;
    constructor({ from, onWritable }: { from: { id: string }; onWritable: () => void }) {
      this.#id = from.id;
      open.add(this.#id);
      writable.set(this.#id, onWritable);
    }
    write(bytes: Uint8Array): void {
      answered.push(this.#id);
      texts.push(new TextDecoder().decode(bytes));
    }
    close(): void {
      open.delete(this.#id);
    }
  }
  const flush = () => {
    for (const id of [...open]) writable.get(id)?.();
  };
  return { accepted, answered, texts, flush, Socket: Socket as unknown as Tcp["Socket"] };
}

test("An address gets its rejection, however many connections of another one are rejected before it", () => {
  const { accepted, answered, flush, Socket } = sockets();
  const refusal = new MemoryRefusal(Socket, new TextEncoder());
  for (let at = 0; at < 11; at++) refusal.refuse(accepted("192.0.2.66"));
  refusal.refuse(accepted("192.0.2.1"));
  flush();
  expect(answered).toHaveLength(4);
  expect(answered.at(-1)).toMatch(/^192\.0\.2\.1 /);
});

test("While four addresses wait for their rejection, a fifth is closed without one", () => {
  const { accepted, answered, flush, Socket } = sockets();
  const refusal = new MemoryRefusal(Socket, new TextEncoder());
  for (let host = 1; host <= 5; host++) refusal.refuse(accepted(`192.0.2.${host}`));
  flush();
  expect(answered.map((id) => id.split(" ")[0])).toEqual([1, 2, 3, 4].map((host) => `192.0.2.${host}`));
});

test("A rejection is a complete response that says when to come again, and ends its connection", () => {
  const { accepted, texts, flush, Socket } = sockets();
  new MemoryRefusal(Socket, new TextEncoder()).refuse(accepted("192.0.2.1"));
  flush();
  const { status, fields, json } = readResponse(texts.join(""));
  expect([status, fields.get("retry-after"), fields.get("connection")]).toEqual([503, "1", "close"]);
  expect(json).toMatchObject({ error: "busy", retry_after_s: 1 });
});
