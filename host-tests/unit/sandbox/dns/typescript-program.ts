/** The program `dns` as TypeScript in Node, in memory of exactly the bytes that a console gives it. One at a time. */
import * as program from "../../../../device/sandbox/dns/program.js";
import { createMemory } from "../../../../device/sandbox/memory.js";
import { openDns } from "../../../../device/services/mdns/dns-message.js";
import type { SandboxProgram } from "../../../../protocol/ports/sandbox.js";

export function openInTypeScript(): SandboxProgram {
  const { begin, room, feed, finish } = program;
  return openDns({
    open: () => ({ memory: createMemory(program.memoryBytes()), begin, room, feed, finish, close() {} }),
  });
}
