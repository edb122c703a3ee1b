/** A load of `GET` requests on keep-alive connections, one request in flight on each. */
import { connect } from "node:net";

export interface Load {
  readonly requestsPerSecond: number;
  /** 99th percentile of the time from request to answer. */
  readonly p99Ms: number;
}

/** Asks `address` again and again for `seconds`, and fails on anything but 200. */
export async function load(address: string, connections: number, seconds: number): Promise<Load> {
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  const latencies = await Promise.all(
    Array.from({ length: connections }, () => ask(new URL(address), until)),
  );
  const all = latencies.flat().sort((a, b) => a - b);
  const elapsed = (performance.now() - began) / 1000;
  return { requestsPerSecond: all.length / elapsed, p99Ms: all[Math.floor(all.length * 0.99)] as number };
}

/** One connection's latencies in milliseconds. */
function ask({ hostname, port, pathname, host }: URL, until: number): Promise<number[]> {
  const request = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const latencies: number[] = [];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let sentAt = 0;
    let received = "";
    const send = () => {
      sentAt = performance.now();
      received = "";
      socket.write(request);
    };
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The console closed the connection")));
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!isComplete(received)) return;
      if (!received.startsWith("HTTP/1.1 200 ")) return reject(new Error(received.slice(0, 60)));
      latencies.push(performance.now() - sentAt);
      if (performance.now() < until) return send();
      socket.removeAllListeners("close").destroy();
      resolve(latencies);
    });
  });
}

function isComplete(received: string): boolean {
  const bodyStart = received.indexOf("\r\n\r\n") + 4;
  if (bodyStart < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, bodyStart))?.[1];
  return received.length >= bodyStart + Number(length);
}
