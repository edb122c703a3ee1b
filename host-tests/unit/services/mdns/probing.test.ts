/** A name is probed before it is used (docs/spec/mdns.md#probing). */
import { describe, expect, test } from "vitest";
import { CONFLICT_COUNT_LIMIT } from "../../../../device/services/mdns/claim.js";
import { query, response, writeMessage } from "./dns-messages.js";
import {
  ConstantRandom,
  consoleOn,
  EmulatedLink,
  GROUP,
  PORT,
  SeededRandom,
  STRANGER,
} from "./emulated-link.js";

const HOST = "Console-1A2B.local";
const INSTANCE = "Console-1A2B._svc._tcp.local";
const PROPOSED = [
  `${HOST} A 10.0.0.1 120`,
  `${INSTANCE} TXT fw=1.0.0;api=v1 4500`,
  `${INSTANCE} SRV ${HOST}:8080 120`,
];

function startedConsole(random = new ConstantRandom(0)) {
  const link = new EmulatedLink();
  const console = consoleOn(link, { random });
  const startMs = link.clock.uptimeMs();
  console.advertisement.start();
  return { link, startMs, ...console };
}

/** A probe from another host for our names, with the records that it claims. */
const probe = (...authorities: string[]) =>
  writeMessage({ questions: [`${HOST} ANY QU`, `${INSTANCE} ANY QU`], authorities });

describe("probing", () => {
  test("asks three times, 250 ms apart, for every name at once", () => {
    const { link, startMs } = startedConsole();
    const probes = link.pass(749);
    expect(probes.map(({ atMs }) => atMs - startMs)).toEqual([0, 250, 500]);
    for (const { isResponse, questions, to, port } of probes) {
      expect({ isResponse, to, port }).toEqual({ isResponse: false, to: GROUP, port: PORT });
      expect(questions).toEqual([`${HOST} ANY QU`, `${INSTANCE} ANY QU`]);
    }
  });

  test("proposes its records without the cache-flush bit", () => {
    const { link } = startedConsole();
    for (const { authorities, answers } of link.pass(749)) {
      expect(authorities).toEqual(PROPOSED);
      expect(answers).toEqual([]);
    }
  });

  test("begins after a random delay up to 250 ms", () => {
    const first = (random: ConstantRandom) => {
      const { link, startMs } = startedConsole(random);
      return (link.pass(300)[0]?.atMs ?? 0) - startMs;
    };
    expect([
      first(new ConstantRandom(0)),
      first(new ConstantRandom(128)),
      first(new ConstantRandom(255)),
    ]).toEqual([0, 125, 250]);
  });

  test("does not answer for names that are not claimed yet", () => {
    const { link } = startedConsole();
    link.send(query(`${HOST} A`, "_svc._tcp.local PTR"), STRANGER);
    expect(link.pass(749).filter(({ isResponse }) => isResponse)).toEqual([]);
  });

  test("takes the next name when another host has it", () => {
    const { link, advertisement } = startedConsole();
    link.pass(300);
    link.send(response(`${INSTANCE} SRV other.local:1 120 flush`), STRANGER);
    link.pass(4000);
    expect(advertisement.alias).toBe("Console-1A2B (2)._svc._tcp.local");
    link.send(query("_svc._tcp.local PTR"), STRANGER);
    expect(link.pass(500)[0]?.answers).toEqual([
      "_svc._tcp.local PTR Console-1A2B\\032(2)._svc._tcp.local 4500",
    ]);
  });

  test("takes the next host name, and puts it into the service's record", () => {
    const { link } = startedConsole();
    link.pass(300);
    link.send(response(`${HOST} A 10.0.0.7 120 flush`), STRANGER);
    link.pass(3000);
    link.send(query(`${INSTANCE} SRV`), STRANGER);
    expect(link.pass(500)[0]?.answers).toEqual([`${INSTANCE} SRV Console-1A2B-2.local:8080 120 flush`]);
  });

  test("yields to a record of any type under its name", () => {
    const { link, advertisement } = startedConsole();
    link.send(response(`${INSTANCE} A 10.0.0.7 120`), STRANGER);
    link.pass(2000);
    expect(advertisement.alias).toContain("(2)");
  });

  test("ignores a goodbye, its own records, and other names", () => {
    const { link, advertisement } = startedConsole();
    link.send(
      response(
        `${INSTANCE} SRV other.local:1 0 flush`,
        `${INSTANCE.toUpperCase()} SRV CONSOLE-1A2B.LOCAL:8080 120 flush`,
        "Console-1A2C._svc._tcp.local SRV other.local:1 120 flush",
      ),
      STRANGER,
    );
    link.pass(2000);
    expect(advertisement.alias).toBe(INSTANCE);
  });

  test("ignores a response that is not from port 5353", () => {
    const { link, advertisement } = startedConsole();
    link.send(response(`${INSTANCE} SRV other.local:1 120 flush`), { ...STRANGER, port: 5354 });
    link.pass(2000);
    expect(advertisement.alias).toBe(INSTANCE);
  });

  test("waits five seconds before each try after fifteen conflicts in ten", () => {
    const { link, startMs } = startedConsole();
    const tries: number[] = [];
    // Another host claims every host name that is probed.
    for (let step = 0; step < 40_000; step += 10)
      for (const { atMs, questions } of link.pass(10)) {
        const name = questions.find((question) => question.startsWith("Console-1A2B"))?.split(" ")[0];
        const isHost = name !== undefined && !name.includes("_svc");
        if (!isHost) continue;
        tries.push(atMs - startMs);
        link.send(response(`${name} A 10.0.0.7 120 flush`), STRANGER);
      }
    const waits = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
    expect(waits.slice(0, CONFLICT_COUNT_LIMIT - 1).every((wait) => wait < 1000)).toBe(true);
    expect(waits.length).toBeGreaterThan(CONFLICT_COUNT_LIMIT);
    expect(waits.slice(CONFLICT_COUNT_LIMIT - 1).every((wait) => wait >= 5000)).toBe(true);
  });
});

describe("simultaneous probes", () => {
  test("are lost against an address that sorts later, and probing restarts after a second", () => {
    const { link, startMs, advertisement } = startedConsole();
    link.pass(300);
    link.send(probe(`${HOST} A 10.0.0.200 120`), STRANGER);
    const times = link.pass(3000).map(({ atMs }) => atMs - startMs);
    expect(times.slice(0, 4)).toEqual([1301, 1551, 1801, 2051]);
    expect(advertisement.alias).toBe(INSTANCE);
  });

  test("are won against an address that sorts earlier, and probing continues without delay", () => {
    const { link, startMs } = startedConsole();
    link.pass(300);
    link.send(probe(`${HOST} A 9.255.255.255 120`), STRANGER);
    expect(link.pass(700).map(({ atMs }) => atMs - startMs)).toEqual([500, 750]);
  });

  test("with the same records are no conflict", () => {
    const { link, startMs } = startedConsole();
    link.pass(300);
    link.send(probe(...PROPOSED), STRANGER);
    expect(link.pass(700).map(({ atMs }) => atMs - startMs)).toEqual([500, 750]);
  });

  const CONTESTS = [
    { title: "a type that sorts later", records: [`${INSTANCE} SRV ${HOST}:8080 120`], isLost: true },
    { title: "only the first record", records: [`${INSTANCE} TXT fw=1.0.0;api=v1 4500`], isLost: false },
    {
      title: "one more record",
      records: [...PROPOSED, `${INSTANCE} SRV x.local:65535 120`],
      isLost: true,
    },
    {
      title: "a higher port",
      records: [...PROPOSED.slice(0, 2), `${INSTANCE} SRV ${HOST}:8081 120`],
      isLost: true,
    },
    {
      title: "a lower port",
      records: [...PROPOSED.slice(0, 2), `${INSTANCE} SRV ${HOST}:8079 120`],
      isLost: false,
    },
    { title: "records in another order", records: [...PROPOSED].reverse(), isLost: false },
    { title: "bytes over 127, which are unsigned", records: [`${HOST} A 200.0.0.1 120`], isLost: true },
  ];
  for (const { title, records, isLost } of CONTESTS)
    test(`are ${isLost ? "lost" : "not lost"} against ${title}`, () => {
      const { link, log } = startedConsole();
      link.pass(300);
      link.send(probe(...records), STRANGER);
      link.pass(700);
      expect(log.lines.includes(`Advertising ${INSTANCE}`)).toBe(!isLost);
      link.pass(2000);
      expect(log.lines).toContain(`Advertising ${INSTANCE}`);
    });

  test("are lost for good once the winner announces", () => {
    const { link, log } = startedConsole();
    link.pass(300);
    link.send(probe(`${HOST} A 10.0.0.200 120`), STRANGER);
    link.pass(600);
    link.send(response(`${HOST} A 10.0.0.200 120 flush`), STRANGER);
    link.pass(5000);
    expect(log.lines).toContain("Advertising Console-1A2B-2.local");
  });
});

describe("two consoles with one name", () => {
  /** Starts both and gives their names once all is quiet. */
  function meet(
    second: { readonly address: string; readonly version?: string; readonly afterMs: number },
    seed = 1,
  ) {
    const link = new EmulatedLink();
    const one = consoleOn(link, { address: "10.0.0.1", random: new SeededRandom(seed) });
    const two = consoleOn(link, { ...second, random: new SeededRandom(seed + 1000) });
    one.advertisement.start();
    link.clock.advance(second.afterMs);
    two.advertisement.start();
    link.clock.advance(60_000);
    return [one.advertisement.alias, two.advertisement.alias];
  }

  test("the first one keeps it if the second starts later", () => {
    for (let seed = 0; seed < 50; seed++)
      expect(meet({ address: "10.0.0.2", afterMs: 5000 }, seed)).toEqual([
        INSTANCE,
        "Console-1A2B (2)._svc._tcp.local",
      ]);
  });

  test("the one with the later address gets it if both start at once", () => {
    for (let seed = 0; seed < 50; seed++)
      expect(meet({ address: "10.0.0.2", afterMs: 0 }, seed)).toEqual([
        "Console-1A2B (2)._svc._tcp.local",
        INSTANCE,
      ]);
  });

  test("have different names in the end, whenever the second starts, and whatever its version", () => {
    for (let afterMs = 0; afterMs < 3000; afterMs += 50)
      for (const version of ["0.9.0", "2.0.0"])
        for (const address of ["10.0.0.2", "9.0.0.2"]) {
          const names = meet({ address, version, afterMs }, afterMs);
          expect(new Set(names), `${afterMs} ms, ${version}, ${address}`).toEqual(
            new Set([INSTANCE, "Console-1A2B (2)._svc._tcp.local"]),
          );
        }
  });

  test("ten consoles that start at once get ten names", () => {
    const link = new EmulatedLink();
    const consoles = Array.from({ length: 10 }, (_, index) =>
      consoleOn(link, { address: `10.0.0.${index + 1}`, random: new SeededRandom(index) }),
    );
    for (const { advertisement } of consoles) advertisement.start();
    link.clock.advance(120_000);
    const names = consoles.map(({ advertisement }) => advertisement.alias);
    expect(new Set(names).size).toBe(10);
    expect(names.every((name) => /^Console-1A2B( \(([2-9]|10)\))?\._svc\._tcp\.local$/.test(name))).toBe(
      true,
    );
  });
});
