/**
 * Load of `GET` requests on keep-alive connections, one request in flight on each. Each connection has its own source
 * address, since a console does not give all its connections to one address (docs/spec/http.md#room-last).
 */
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** `Retry-After` of a console that is briefly short of memory. */
const BUSY_MS = 1000;

export interface Load {
  readonly requestsPerSecond: number;
  /** 99th percentile of the time from request to answer. */
  readonly p99Ms: number;
}

/** Requests `address` repeatedly for `seconds`, pauses after a 503, and fails on any status other than 200 and 503. */
export async function load(address: string, connections: number, seconds: number): Promise<Load> {
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  const latencies = await Promise.all(
    Array.from({ length: connections }, (_, index) => ask(new URL(address), `127.0.0.${2 + index}`, until)),
  );
  const all = latencies.flat().sort((a, b) => a - b);
  if (all.length === 0) throw new Error(`${address} was busy for ${seconds} s`);
  const elapsed = (performance.now() - began) / 1000;
  return { requestsPerSecond: all.length / elapsed, p99Ms: all[Math.floor(all.length * 0.99)] as number };
}

/** Why a connection ended: the measurement is over, or the console had no memory (503, or closed without an answer). */
type End = "done" | "busy";

/** Returns the latencies in milliseconds of one client, which reconnects when the console is busy. */
async function ask(url: URL, localAddress: string, until: number): Promise<number[]> {
  const latencies: number[] = [];
  while ((await askOnOne(url, localAddress, until, latencies)) === "busy")
    await wait(Math.max(0, Math.min(BUSY_MS, until - performance.now())));
  return latencies;
}

function askOnOne(
  { hostname, port, pathname, host }: URL,
  localAddress: string,
  until: number,
  latencies: number[],
): Promise<End> {
  const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.setNoDelay(true);
    let sentAt = 0;
    let received = "";
    const send = () => {
      sentAt = performance.now();
      received = "";
      socket.write(request);
    };
    const end = (isBusy: boolean) => {
      socket.removeAllListeners("close").destroy();
      resolve(isBusy && performance.now() < until ? "busy" : "done");
    };
    socket.on("connect", send);
    socket.on("error", reject);
    // A console short of memory can close a kept-alive connection at the moment in which it is used (RFC 9112
    // §9.3.1).
    socket.on("close", () => (received === "" ? end(true) : reject(new Error("The answer was cut short"))));
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!isComplete(received)) return;
      if (received.startsWith("HTTP/1.1 503 ")) return end(true);
      if (!received.startsWith("HTTP/1.1 200 ")) return reject(new Error(received.slice(0, 60)));
      latencies.push(performance.now() - sentAt);
      if (performance.now() < until) return send();
      end(false);
    });
  });
}

function isComplete(received: string): boolean {
  const bodyStart = received.indexOf("\r\n\r\n") + 4;
  if (bodyStart < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, bodyStart))?.[1];
  return received.length >= bodyStart + Number(length);
}
