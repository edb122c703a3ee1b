import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startConsole } from "../../hosts/simulator.js";
import { program } from "./programs.js";

const GROUP = "239.255.77.77"; // RFC 2365 §6.1: the local scope, so that other hosts are not disturbed
const PORT = 57353;

/** Answers every datagram to where it came from, and says what it was. */
const ANSWERING = program(`
  const socket = new UDP({
    port: ${PORT}, address: network.address, multicast: "${GROUP}", timeToLive: 255,
    onReadable() {
      for (let datagram = socket.read(); datagram; datagram = socket.read()) {
        const text = String.fromCharCode(...new Uint8Array(datagram));
        if (text.startsWith("answer")) continue;
        say(text + " from " + datagram.address);
        const answer = "answer to " + text;
        socket.write(Uint8Array.from(answer, (character) => character.charCodeAt(0)), "${GROUP}", ${PORT});
      }
    },
  });
  say("joined on " + network.address);
`);

test("a datagram to the group reaches every console on the interface, and so do answers", async () => {
  const consoles = await Promise.all([
    startConsole({ image: ANSWERING }),
    startConsole({ image: ANSWERING }),
  ]);
  const peer = createSocket({ type: "udp4", reuseAddr: true });
  peer.bind(PORT, GROUP);
  await once(peer, "listening");
  peer.addMembership(GROUP, "127.0.0.1");
  peer.setMulticastInterface("127.0.0.1");
  const answers: string[] = [];
  const isAnswered = new Promise<void>((resolve) => {
    peer.on("message", (message, source) => {
      if (String(message).startsWith("answer"))
        answers.push(`${message} from ${source.address}:${source.port}`);
      if (answers.length === 2) resolve();
    });
  });
  peer.send("hello", PORT, GROUP);
  await isAnswered;
  expect(answers).toEqual(Array(2).fill(`answer to hello from 127.0.0.1:${PORT}`));
  for (const console of consoles) {
    await console.waitForLine(/^hello from 127\.0\.0\.1$/);
    await console.stop();
  }
  peer.close();
});

test("an invalid group, port, callback or destination throws", async () => {
  const console = await startConsole({
    image: program(`
      const attempts = [
        () => new UDP({ port: 0, multicast: "nowhere", onReadable() {} }),
        () => new UDP({ port: 65536, onReadable() {} }),
        () => new UDP({ port: 0, onReadable: 1 }),
        () => new UDP({ port: 0, onReadable() {} }).write(new Uint8Array(1), "nowhere", 1),
      ];
      for (const attempt of attempts)
        try {
          attempt();
          say("went through");
        } catch (error) {
          say(error.name);
        }
    `),
  });
  await console.waitForLine(/^RangeError$/, 3);
  expect(console.stderr).toEqual(["RangeError", "RangeError", "TypeError", "RangeError"]);
  await console.stop();
});
