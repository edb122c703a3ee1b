import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { startConsole } from "../../hosts/simulator.js";
import { connect } from "./peers.js";
import { ECHO, program } from "./programs.js";

/** A console with a listener that hands each connection to `options`, the body of an object literal. */
function serving(options: string, before = ""): string {
  return program(`
    ${before}
    const listener = listen((from) => {
      const socket = new TCP({ from, ${options} });
    });
    ports.httpPort = listener.port;
  `);
}

test("onReadable reports all readable bytes, once for each arrival", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable(count) {
        say("readable " + count);
        if (count === 8) say(String.fromCharCode(...new Uint8Array(this.read())));
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.write("four");
  await console.waitForLine(/^readable 4$/);
  client.socket.write("more");
  await console.waitForLine(/^fourmore$/);
  expect(console.stderr).toEqual(["readable 4", "readable 8", "fourmore"]);
  await console.stop();
});

test("read() returns all bytes, read(count) that many, read(buffer) fills the buffer, and an empty read returns undefined", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable() {
        const some = this.read(2);
        const into = new Uint8Array(3);
        const filled = this.read(into);
        const rest = this.read();
        say([some.byteLength, filled, into.join(), rest.byteLength, this.read(), this.read(1)].join(" "));
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.write("abcdefgh");
  await console.waitForLine(/^2 3 99,100,101 3 {2}$/);
  await console.stop();
});

test("write() of a new connection accepts as many bytes as onWritable reports, and rejects one more", async () => {
  const console = await startConsole({
    image: serving(`
      onWritable(count) {
        say("room " + count);
        try {
          this.write(new Uint8Array(count + 1));
        } catch (error) {
          say(error.name);
        }
        this.write(new Uint8Array(count));
        this.close();
      },
    `),
  });
  const client = await connect(console.http);
  expect((await client.ended).length).toBe(4096);
  expect(console.stderr).toEqual(["room 4096", "RangeError"]);
  await console.stop();
});

test("onWritable is called again for a slow reader, and 1 MiB arrives", async () => {
  const console = await startConsole({
    image: serving(
      `
      onWritable(count) {
        if (total === 0) timer.set(() => say("waited with " + this.unwritten), 0);
        const length = Math.min(count, 1048576 - total);
        if (length > 0) this.write(new Uint8Array(length).fill(65));
        total += length;
        if (total === 1048576) this.close();
      },
    `,
      "let total = 0;",
    ),
  });
  const client = await connect(console.http);
  client.socket.pause();
  await console.waitForLine(/^waited/);
  client.socket.resume();
  expect((await client.ended).length).toBe(1048576);
  await console.stop();
});

test("1 MiB is echoed to a reader that pauses repeatedly", async () => {
  const console = await startConsole({ image: ECHO });
  const { socket } = await connect(console.http);
  const sent = randomBytes(1 << 20);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks.length % 8 === 0) {
      socket.pause();
      setImmediate(() => socket.resume());
    }
  });
  socket.end(sent);
  await once(socket, "end");
  expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  await console.stop();
});

test("onError is called once, after the last byte was read", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable(count) {
        say("readable " + count);
        timer.set(() => say("read " + this.read().byteLength), 20);
      },
      onError() {
        say("error");
        timer.set(() => say("end"), 20);
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.end("bye");
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["readable 3", "read 3", "error", "end"]);
  await console.stop();
});

test("bytes written after the peer's end arrive", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable() { this.read(); },
      onError() {
        this.write(Uint8Array.of(108, 97, 116, 101));
        this.close();
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.end("request");
  expect(await client.ended).toBe("late");
  await console.stop();
});

test("close() in onReadable ends all callbacks; written bytes still arrive", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable() {
        this.write(Uint8Array.of(78, 79));
        this.close();
        this.close();
        timer.set(() => say("end"), 30);
      },
      onWritable() { if (this.wasWritten) say("writable after close"); this.wasWritten = true; },
      onError() { say("error after close"); },
    `),
  });
  const client = await connect(console.http);
  client.socket.end(Buffer.alloc(100_000));
  expect(await client.ended).toBe("NO");
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["end"]);
  await console.stop();
});

test("read() and write() of a closed connection throw", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable() {
        this.close();
        for (const method of ["read", "write"]) {
          try {
            this[method](new Uint8Array(1));
            say(method + " went through");
          } catch (error) {
            say(method + " " + error.name);
          }
        }
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.write("x");
  await console.waitForLine(/^write/);
  expect(console.stderr).toEqual(["read SyntaxError", "write SyntaxError"]);
  await console.stop();
});

test("a reset calls onError, and writes after it are ignored", async () => {
  const console = await startConsole({
    image: serving(`
      onReadable() { this.read(); },
      onError() {
        this.write(new Uint8Array(100));
        this.write(new Uint8Array(100));
        this.close();
        say("error");
      },
    `),
  });
  const client = await connect(console.http);
  client.socket.resetAndDestroy();
  await console.waitForLine(/^error$/);
  await console.stop();
});

test("unread bytes stop the peer, and reading lets it continue", async () => {
  const console = await startConsole({
    image: serving(
      `
      onReadable() {
        if (isHungry) total += this.read().byteLength;
        else if (this.isWaiting !== true) {
          this.isWaiting = true;
          say("not reading");
          timer.set(() => { isHungry = true; total += this.read().byteLength; }, 50);
        }
      },
      onError() { say("total " + total); this.close(); },
    `,
      "let isHungry = false, total = 0;",
    ),
  });
  const client = await connect(console.http);
  client.socket.end(Buffer.alloc(3_000_000));
  await console.waitForLine(/^total 3000000$/);
  await console.stop();
});

test("an IPv4 peer's address is shown as IPv4, also on a dual-stack socket", async () => {
  const image = program(`
    const listener = new Listener({ port: 0, onReadable() {
      const socket = new TCP({ from: listener.read(), onReadable() {} });
      say(socket.remoteAddress + " " + (socket.remotePort > 0));
    } });
    ports.httpPort = listener.port;
  `);
  const console = await startConsole({ image });
  await connect(console.http);
  await console.waitForLine(/^127\.0\.0\.1 true$/);
  await console.stop();
});

test("a connection to an open port works, and one to a closed port calls onError", async () => {
  const console = await startConsole({
    image: program(`
      const listener = listen(echo);
      ports.httpPort = listener.port;
      const socket = new TCP({
        address: "127.0.0.1",
        port: listener.port,
        onWritable() { if (!this.isSent) this.write(Uint8Array.of(104, 105)); this.isSent = true; },
        onReadable() {
          say(String.fromCharCode(...new Uint8Array(this.read())));
          this.close();
          new TCP({ address: "127.0.0.1", port: 1, onError() { say("refused"); } });
        },
      });
    `),
  });
  await console.waitForLine(/^refused$/);
  expect(console.stderr).toEqual(["hi", "refused"]);
  await console.stop();
});

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

test("200 connections leave no open file descriptor", async () => {
  const console = await startConsole({ image: ECHO });
  const before = openFiles(console.pid);
  for (let round = 0; round < 20; round++) {
    const clients = await Promise.all(Array.from({ length: 10 }, () => connect(console.http)));
    for (const client of clients) client.socket.end("hello");
    expect(await Promise.all(clients.map((client) => client.ended))).toEqual(Array(10).fill("hello"));
  }
  await expect.poll(() => openFiles(console.pid)).toBe(before);
  await console.stop();
});

test("40 connections that the program accepts late are all served", async () => {
  const console = await startConsole({
    image: program(`
      const listener = new Listener({
        port: config.httpPort,
        address: config.address,
        onReadable(count) {
          if (count === 16) timer.set(() => {
            let answered = 0;
            const drain = () => {
              for (let from = listener.read(); from; from = listener.read()) { echo(from); answered++; }
              if (answered < 40) timer.set(drain, 1);
            };
            drain();
          }, 20);
        },
      });
      ports.httpPort = listener.port;
    `),
  });
  const clients = await Promise.all(Array.from({ length: 40 }, () => connect(console.http)));
  for (const client of clients) client.socket.end("hello");
  expect(await Promise.all(clients.map((client) => client.ended))).toEqual(Array(40).fill("hello"));
  await console.stop();
});

/** Binds its argument's port on 127.0.0.1 without SO_REUSEADDR, as a program does that asks for any free port. */
const BINDS = `
#include <arpa/inet.h>
#include <stdlib.h>
int main(int count, char *arguments[])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])) };
	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	return bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : 1;
}
`;

test("a port on which a console listened stays its own while nothing listens, as during a restart", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "binds-"));
  const binds = path.join(folder, "binds");
  execFileSync("gcc", ["-xc", "-o", binds, "-"], { input: BINDS });
  const console = await startConsole({
    image: serving("").replace("ports.httpPort = listener.port;", "$& listener.close();"),
  });
  const { port } = new URL(console.http);
  expect(spawnSync(binds, [port]).status).toBe(1);
  const again = createServer().listen(Number(port), "127.0.0.1");
  await once(again, "listening"); // a socket that shares addresses, as the next run's does
  again.close();
  await console.stop();
  expect(spawnSync(binds, [port]).status).toBe(0);
  rmSync(folder, { recursive: true });
});
