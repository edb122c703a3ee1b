/** bonjour-service, what most Node programs use, and the console find each other. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Built, buildProgram, startNodeConsole } from "./console-under-test.js";
import { obstacleTo } from "./obstacle.js";
import { Program } from "./program.js";
import { type TwoHosts, twoHosts } from "./two-hosts.js";

const missing = obstacleTo();

describe.skipIf(missing !== undefined)(`bonjour-service${missing ? ` (${missing})` : ""}`, () => {
  let hosts: TwoHosts;
  let programs: Program[];
  let built: { readonly console: Built; readonly peer: Built };

  beforeAll(() => {
    built = { console: buildProgram("node-console"), peer: buildProgram("bonjour-peer") };
  });
  afterAll(() => {
    built.console.remove();
    built.peer.remove();
  });

  beforeEach(async () => {
    hosts = await twoHosts();
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) await program.stop();
    await hosts.close();
  });

  const startConsole = async () => {
    const console = await startNodeConsole(built.console.file, hosts.console, hosts.console.address);
    programs.push(console);
    return console;
  };
  const startPeer = (name = "Peer") => {
    const { peer } = hosts;
    const program = new Program(peer.command(process.execPath, built.peer.file, peer.address, name));
    programs.push(program);
    return program;
  };
  const FOUND = {
    event: "up",
    name: "Console-1A2B",
    host: "Console-1A2B.local",
    port: 8080,
    txt: { fw: "0.1.0", api: "v1" },
    addresses: ["10.77.0.1"],
  };

  test("finds a console that starts after it", async () => {
    const peer = startPeer();
    await peer.line(/ready/);
    await startConsole();
    expect(JSON.parse(await peer.line(/"up".*Console/))).toEqual(FOUND);
  });

  test("finds a console that was there before it", async () => {
    const console = await startConsole();
    await console.line(/Advertising Console-1A2B\._svc/);
    expect(JSON.parse(await startPeer().line(/"up".*Console/))).toEqual(FOUND);
  });

  test("hears the console go", async () => {
    const console = await startConsole();
    const peer = startPeer();
    await peer.line(/"up".*Console/);
    await console.stop();
    expect(JSON.parse(await peer.line(/"down"/))).toMatchObject({ name: "Console-1A2B" });
  });

  test("keeps a name that it has, and the console takes the next one", async () => {
    const peer = startPeer("Console-1A2B");
    await peer.line(/published/);
    const console = await startConsole();
    expect(await console.line(/Advertising .*\._svc/)).toContain("Console-1A2B (2)._svc._tcp.local");
  });

  test("is found by the browser of the console, and heard to go", async () => {
    const console = await startConsole();
    const peer = startPeer();
    expect(JSON.parse(await console.line(/"update".*"Peer\./))).toEqual({
      event: "update",
      addresses: ["10.77.0.2"],
      query: [],
      type: [{ name: "svc", protocol: "tcp", subtypes: [] }],
      fullname: "Peer._svc._tcp.local",
      port: 7777,
      txt: ["fw=9.9.9"],
      host: "Peer.local",
      interfaceIndex: 0,
      networkInterface: "10.77.0.1",
    });
    await peer.stop();
    expect(JSON.parse(await console.line(/"down".*"Peer\./)).fullname).toBe("Peer._svc._tcp.local");
  });
});
