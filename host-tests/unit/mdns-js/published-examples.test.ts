/**
 * The published examples of mdns-js run as they are: the files in the package's `examples`, and the example of its
 * README. The package that they require is ours; their globals are those of an emulated machine, on an emulated link.
 */
import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import { describe, expect, test } from "vitest";
import type { BrowserData } from "../../../device/mdns-js/browser.js";
import { type MdnsJs, mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import { query, readMessage } from "../services/mdns/dns-messages.js";
import { consoleOn, EmulatedLink, host, STRANGER } from "../services/mdns/emulated-link.js";
import { publishedFile } from "./package.js";

const SECONDS = 1000;

/** What an example sees of its process. */
interface EmulatedProcess {
  readonly logged: unknown[][];
  readonly exits: number[];
  readonly required: string[];
  /** Sends the process a signal. */
  signal(name: string): void;
}

/** Runs the text of an example on a machine of its own on the link. */
function runExample(text: string, link: EmulatedLink): EmulatedProcess & ReturnType<typeof host> {
  const machine = host(link, { address: "10.0.0.5" });
  const logged: unknown[][] = [];
  const exits: number[] = [];
  const required: string[] = [];
  const handlers = new Map<string, () => void>();
  const globals = {
    require(name: string): MdnsJs {
      required.push(name);
      return mdnsJs(machine.mdns);
    },
    console: { log: (...values: unknown[]) => void logged.push(values) },
    process: {
      stdin: { resume() {} },
      on: (name: string, handler: () => void) => void handlers.set(name, handler),
      exit: () => void exits.push(link.clock.uptimeMs()),
    },
    setTimeout: (callback: () => void, delayMs: number) => link.clock.set(callback, delayMs),
  };
  compileFunction(text, Object.keys(globals))(...Object.values(globals));
  return { ...machine, logged, exits, required, signal: (name) => handlers.get(name)?.() };
}

/** The data of the updates that an example has logged. */
function updatesOf(logged: readonly unknown[][]): BrowserData[] {
  return logged.filter(([label]) => label === "data:").map(([, data]) => data as BrowserData);
}

const example = (name: string) => readFileSync(publishedFile(`examples/${name}`), "utf8");

function exampleOfReadme(): string {
  const readme = readFileSync(publishedFile("README.md"), "utf8");
  const [, text = ""] = /```javascript\n(.*?)```/s.exec(readme) ?? [];
  return text;
}

describe("the published example", () => {
  for (const [name, text, required] of [
    ["examples/simple.js", example("simple.js"), "../"],
    ["of the README", exampleOfReadme(), "mdns-js"],
  ] as const)
    test(`${name} finds the types of all services`, () => {
      const link = new EmulatedLink();
      consoleOn(link).advertisement.start();
      link.pass(10 * SECONDS);
      const run = runExample(text, link);
      expect(run.required).toEqual([required]);
      const sent = link.pass(2 * SECONDS).filter(({ from }) => from === "10.0.0.5");
      expect(sent[0]?.questions).toEqual(["_services._dns-sd._udp.local PTR"]);
      expect(updatesOf(run.logged)).toEqual([
        {
          addresses: ["10.0.0.1"],
          type: [expect.objectContaining({ name: "svc", protocol: "tcp" })],
          fullname: "_svc._tcp.local",
          query: [],
          interfaceIndex: 0,
          networkInterface: "10.0.0.5",
        },
      ]);
    });

  test("examples/simple.js stops after five seconds", () => {
    const link = new EmulatedLink();
    const { logged, mdns } = runExample(example("simple.js"), link);
    link.pass(4 * SECONDS);
    expect(logged).toEqual([["browser is ready"]]);
    expect(link.sockets.size).toBe(1);
    link.pass(2 * SECONDS);
    consoleOn(link).advertisement.start();
    link.pass(60 * SECONDS);
    expect(logged).toHaveLength(1);
    expect([...link.sockets].map(({ address }) => address)).toEqual(["10.0.0.1"]);
    mdns.close();
  });

  test("examples/service.js advertises its service, and withdraws it at the signal", () => {
    const link = new EmulatedLink();
    const run = runExample(example("service.js"), link);
    const announced = link.pass(5 * SECONDS).filter(({ isResponse }) => isResponse);
    expect(announced.flatMap(({ answers }) => answers)).toEqual(
      expect.arrayContaining([
        "_http._tcp.local PTR hello._http._tcp.local 4500",
        "hello._http._tcp.local SRV hello.local:9876 120 flush",
        "hello._http._tcp.local TXT txtvers=1 4500 flush",
        "hello.local A 10.0.0.5 120 flush",
        "_services._dns-sd._udp.local PTR _http._tcp.local 4500",
      ]),
    );
    link.send(query("_http._tcp.local PTR"), STRANGER);
    expect(link.pass(SECONDS).map(({ answers }) => answers)).toEqual([
      ["_http._tcp.local PTR hello._http._tcp.local 4500"],
    ]);
    run.signal("SIGINT");
    const [goodbye] = link.take();
    expect(goodbye && readMessage(goodbye.bytes).answers).toContain(
      "_http._tcp.local PTR hello._http._tcp.local 0",
    );
    const signalledMs = link.clock.uptimeMs();
    link.pass(5 * SECONDS);
    expect(run.exits).toEqual([signalledMs + SECONDS]);
    expect(link.sockets.size).toBe(0);
  });

  test("examples/simple.js finds what examples/service.js advertises", () => {
    const link = new EmulatedLink();
    runExample(example("service.js"), link);
    const { logged } = runExample(example("simple.js"), link);
    link.pass(5 * SECONDS);
    expect(updatesOf(logged).map(({ type }) => String(type[0]))).toEqual(["_http._tcp"]);
  });
});
