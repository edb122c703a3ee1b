/**
 * `npm run test:board`, with a program that takes an emulator's command line and runs our simulator
 * (host-tests/board/stand-in.ts): there is no emulator of the chip where all tests run.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MACHINES } from "../../board/arguments.js";
import { emulatorArguments } from "../../board/emulator.js";
import { chooseSuites, SKIPS, SUITES } from "../../board/suites.js";
import { buildFiles, espImage, flashMebibytesOf } from "../../hosts/esp-build.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { type Ended, flashImage, makeStandInBoard, type StandInBoard } from "../../hosts/stand-in-board.js";

const root = path.join(import.meta.dirname, "../../..");

const temporary = temporaryDirectory();
let board: StandInBoard;

beforeAll(async () => {
  board = await makeStandInBoard(temporary.path);
});
afterAll(() => temporary.remove());

const run = (words: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  board.run("run.ts", words, environment);

const usual = () => ["--flash", board.flash, "--qemu", board.emulator];

/** The directory that the run names. */
const logsOf = ({ stdout }: Ended) => path.join(root, /boot logs in (\S+)/.exec(stdout)?.[1] as string);

test("plays the suites over the network and the management port, and prints what it skips, and why", () => {
  const files = ["api/conformance", "http/http.test.ts", "host-tests/device/websocket", "wifi"];
  const ended = run([...usual(), "--icount", "3", ...files, "--", "-seed", "7"]);
  expect([ended.status, ended.stderr]).toEqual([0, ""]);
  const lines = ended.stdout.split("\n").filter((line) => line.startsWith("test:board: "));
  expect(lines).toEqual([
    expect.stringMatching(
      /^test:board: simulator 0\.1\.0 for the ESP32; boot logs in build\/board-tests\/\d+\/logs$/,
    ),
    expect.stringMatching(/^test:board: "Console-[0-9A-F]{4}" answers after \d+\.\d s$/),
    'test:board: skipped: http/http, "a peer with seven open connections": the emulator\'s network shows one address for all peers',
    'test:board: skipped: http/http, "with CONFIG_SVC_HTTP_AUTH on": options of a board are compiled into its firmware',
    'test:board: skipped: http/http, "an unknown build option prevents the start": options of a board are compiled into its firmware',
    'test:board: skipped: websocket/websocket, "the fourth client of an address and the fifth of all": the emulator\'s network shows one address for all peers',
    'test:board: skipped: websocket/websocket, "a client sends its token in a field or in the query": options of a board are compiled into its firmware',
    'test:board: skipped: websocket/websocket, "where a token is asked for, replacing it ends what was opened": options of a board are compiled into its firmware',
    "test:board: skipped: wifi/provisioning: the emulator has no radio",
    expect.stringMatching(/^test:board: \d{2,} passed, 0 failed, \d+ skipped$/),
  ]);
  const logs = readdirSync(logsOf(ended));
  expect(logs).toHaveLength(5); // the first start, and one for each of four files
  const log = readFileSync(path.join(logsOf(ended), "boot-1.log"), "utf8");
  expect(log).toMatch(/^ets Jul 29 2019/);
  expect(log).toMatch(/ -icount 3 -seed 7\r\n/);
  expect(log).toMatch(/ready\r\n$/);
});

test("says that tests which install apps of their own need a key", () => {
  const ended = run([...usual(), "apps/hostile-ends"]);
  expect([ended.status, ended.stderr]).toEqual([0, ""]);
  expect(ended.stdout).toMatch(/^test:board: skipped: apps\/hostile-ends: .* with --key$/m);
});

test("fails where a test fails", () => {
  const ended = run([...usual(), "api/conformance"], { SVC_TEST_ARCHITECTURE: "xtensa" });
  expect(ended.status).toBe(1);
  expect(ended.stdout).toMatch(/test:board: \d+ passed, 1 failed, 0 skipped/);
});

test("a console that is another board than the image's is reported before any test", () => {
  const other = path.join(temporary.path, "other.bin");
  writeFileSync(other, flashImage("xs_esp32"));
  const ended = run(["--flash", other, "--qemu", board.emulator]);
  expect([ended.status, ended.stderr]).toEqual([
    1,
    'test:board: The image of the flash is for the board "xs_esp32", the console is a "simulator"\n',
  ]);
});

describe("A console that does not start is reported once, with the end of its log:", () => {
  const FAILURES = [
    {
      name: "an emulator that ends",
      failure: "dies",
      message:
        /^test:board: The emulator ended with 3 before the console was ready\nstand-in: could not load the flash\n/,
    },
    {
      name: "a board that is never ready",
      failure: "silent",
      message:
        /^test:board: The console was not ready within 5 s: the machine is running, and has printed its last line \d\.\d s ago\n.*\nets Jul /s,
    },
    {
      name: "a machine that runs and prints nothing",
      failure: "mute",
      message:
        /^test:board: The console was not ready within 5 s: the machine is running, and has printed nothing\n/,
    },
    {
      name: "a machine that has stopped",
      failure: "halts",
      message:
        /^test:board: The console was not ready within 5 s: the machine has stopped \(guest-panicked\), and has printed nothing\n/,
    },
    {
      name: "a board without a network",
      failure: "deaf",
      message:
        /^test:board: The console printed that it is ready, but did not answer over the network within 5 s: /,
    },
  ];
  test.each(FAILURES)("$name", ({ failure, message }) => {
    const ended = run([...usual(), "--timeout", "5", "usb"], { SVC_STAND_IN: failure });
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).toMatch(/\nThe boot log is ".+\/boot-1\.log"\n$/);
    expect(ended.stdout).not.toContain("passed");
  });

  test("a program that is no emulator", () => {
    const script = path.join(temporary.path, "broken");
    writeFileSync(script, "#!/no/such/interpreter\n");
    chmodSync(script, 0o755);
    const ended = run(["--flash", board.flash, "--qemu", script]);
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/^test:board: Cannot start the emulator: .*ENOENT/);
  });
});

describe("Rejects", () => {
  const put = (name: string, bytes: Uint8Array) => {
    const file = path.join(temporary.path, name);
    writeFileSync(file, bytes);
    return file;
  };
  const withFlash = (name: string, bytes: Uint8Array) => [
    "--flash",
    put(name, bytes),
    "--qemu",
    board.emulator,
  ];

  const WRONG: readonly [name: string, words: () => string[], problem: RegExp][] = [
    ["no image", () => ["--qemu", board.emulator], /^Name the image of the flash with --flash$/],
    ["no emulator", () => ["--flash", board.flash], /^Name the emulator with --qemu$/],
    [
      "a wrong path",
      () => ["--flash", board.flash, "--qemu", "/nowhere/qemu"],
      /^"\/nowhere\/qemu" is not a program/,
    ],
    [
      "a name that is not on the path",
      () => ["--flash", board.flash, "--qemu", "qemu-none"],
      /^"qemu-none" is not a program/,
    ],
    ["a directory", () => ["--flash", board.flash, "--qemu", temporary.path], /is not a program/],
    [
      "a file that is not executable",
      () => ["--flash", board.flash, "--qemu", board.flash],
      /is not a program/,
    ],
    [
      "an image that is missing",
      () => ["--flash", "/nowhere/flash.bin", "--qemu", board.emulator],
      /^Cannot use "\/nowhere\/flash\.bin" as an image of the flash: no such file or directory$/,
    ],
    ["text", () => withFlash("text.bin", Buffer.from("no image")), /flash: there is no boot loader in it$/],
    [
      "an app alone",
      () => withFlash("app.bin", espImage({ app: {} })),
      /flash: it is not a partition table$/,
    ],
    ["a flash without an app", () => withFlash("empty.bin", flashWithout()), /flash: there is no app in it$/],
    [
      "an image that is cut off",
      () => withFlash("cut.bin", flashImage().subarray(0, -1)),
      /flash: it is cut off$/,
    ],
    [
      "a flash that no emulator has",
      () => withFlash("small.bin", flashOf(1)),
      /flash: it is for a flash of 1048576 bytes, which no emulator has$/,
    ],
    [
      "more bytes than the flash has",
      () =>
        withFlash("large.bin", Buffer.concat([flashImage(), Buffer.alloc(flashMebibytesOf("esp32") << 20)])),
      /flash: it has \d+ bytes, and its flash \d+$/,
    ],
    ["an unknown option", () => [...usual(), "--fast"], /^Unknown option '--fast'/],
    [
      "an unknown test",
      () => [...usual(), "usb/none"],
      /^"usb\/none" is not a test that a console in an emulator can/,
    ],
    ["no time", () => [...usual(), "--timeout", "0"], /^--timeout takes a number from 1 to 3600, not "0"$/],
    [
      "time in words",
      () => [...usual(), "--timeout", "1m"],
      /^--timeout takes a number from 1 to 3600, not "1m"$/,
    ],
    ["an icount", () => [...usual(), "--icount", "11"], /^--icount takes a number from 0 to 10, not "11"$/],
    ["a key that is missing", () => [...usual(), "--key", "/nowhere.pem"], /^Cannot read "\/nowhere\.pem"/],
    [
      "a key that signs nothing",
      () => [...usual(), "--key", board.flash],
      /^".+" is not a private Ed25519 key: --key names the one that signs for the console$/,
    ],
    ["a UART", () => [...usual(), "--uart", "3"], /^--uart takes a number from 0 to 2, not "3"$/],
  ];
  test.each(WRONG)("%s", (_name, words, problem) => {
    const ended = run(words());
    expect([ended.status, ended.stdout]).toEqual([2, ""]);
    const [line = "", ...usage] = ended.stderr.split("\n");
    expect(line.replace("test:board: ", "")).toMatch(problem);
    expect(usage.join("\n")).toMatch(/^usage: npm run test:board -- --flash IMAGE --qemu PATH /);
  });

  function flashWithout(): Uint8Array {
    const bytes = Buffer.from(flashImage());
    return bytes.fill(0xff, buildFiles("esp32").app.offset);
  }

  function flashOf(flashMebibytes: number): Uint8Array {
    const bytes = Buffer.from(flashImage());
    bytes.set(espImage({ chipId: 0, flashMebibytes }), 0x1000);
    return bytes;
  }
});

test("prints its usage on request", () => {
  expect(run(["--help"])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^usage: /) });
});

describe("The command line of the emulator", () => {
  const options = {
    machine: "esp32",
    memory: "4M",
    flash: "/a,b/flash.bin",
    log: "/log",
    extra: ["-seed", "7"],
    ports: { http: 1001, ws: 1002 },
  };

  test("has the flash, the network and the UARTs of the board", () => {
    expect(emulatorArguments({ ...options, uart: 1, icount: 3 })).toEqual([
      ...["-display", "none", "-monitor", "none", "-qmp", "stdio", "-S", "-machine", "esp32", "-m", "4M"],
      ...["-drive", "file=/a,,b/flash.bin,if=mtd,format=raw"],
      "-nic",
      "user,model=open_eth,hostfwd=tcp:127.0.0.1:1001-:8080,hostfwd=tcp:127.0.0.1:1002-:8081",
      ...["-chardev", "null,id=uart0,logfile=/log,logappend=on", "-serial", "chardev:uart0"],
      ...["-chardev", "pty,id=management", "-serial", "chardev:management"],
      ...["-icount", "3", "-seed", "7"],
    ]);
  });

  test("says of an ESP32-S3's PSRAM that it is octal", () => {
    const words = emulatorArguments({ ...options, ...MACHINES.esp32s3, uart: 0 });
    expect(words).toContain("driver=ssi_psram,property=is_octal,value=true");
    expect(emulatorArguments({ ...options, ...MACHINES.esp32, uart: 0 }).join()).not.toContain("psram");
  });

  const UARTS = [
    [0, ["pty,id=management,logfile=/log,logappend=on", "null,id=uart1,logfile=/log,logappend=on"]],
    [
      2,
      [
        "null,id=uart0,logfile=/log,logappend=on",
        "null,id=uart1,logfile=/log,logappend=on",
        "pty,id=management",
      ],
    ],
  ] as const;
  test.each(UARTS)("has the management port on UART %i, and logs the others", (uart, devices) => {
    const words = emulatorArguments({ ...options, uart });
    expect(words.filter((_, index) => words[index - 1] === "-chardev")).toEqual(devices);
  });
});

describe("What is skipped", () => {
  test("is in the tests, by its name", () => {
    for (const { file, test = "" } of SKIPS)
      expect([file, testsIn(path.join(root, file)).includes(test)]).toEqual([file, true]);
  });

  /** The text of a test file, and of the one whose tests it runs with another engine. */
  function testsIn(file: string): string {
    const text = readFileSync(file, "utf8");
    const [, imported] = /await import\("(.+)\.js"\)/.exec(text) ?? [];
    return imported === undefined
      ? text
      : text + readFileSync(path.join(file, "..", `${imported}.ts`), "utf8");
  }

  test("leaves the conformance of HTTP and USB, reboot, HTTP, WebSocket and USB", () => {
    expect(SUITES.map((file) => path.basename(file, ".test.ts"))).toEqual(
      expect.arrayContaining(["conformance", "reboot", "http", "websocket", "broken-frames", "usb"]),
    );
  });

  test("is by the names of tests, where it is not a file", () => {
    const { suites, pattern = "" } = chooseSuites(["host-tests/device/http/http.test.ts"]);
    expect(suites).toHaveLength(1);
    expect("with CONFIG_SVC_HTTP_AUTH on a request without the token").not.toMatch(new RegExp(pattern));
    expect("100 pipelined requests are answered in order").toMatch(new RegExp(pattern));
  });

  test("is what runs as machine code, unless the board runs that and it can be compiled", () => {
    const file = "host-tests/device/native-images/hostile-ends.test.ts";
    expect(chooseSuites([file], ["key"])).toMatchObject({ suites: [], skips: [{ needs: "machine code" }] });
    expect(chooseSuites([file], ["key", "machine code"]).suites).toEqual([file]);
  });

  test("is all of a file that needs a key, and with a key what does not fit into the board", () => {
    const file = "host-tests/device/apps/hostile-stop.test.ts";
    expect(chooseSuites([file])).toMatchObject({ suites: [], skips: [{ file, needs: "key" }] });
    const { suites, skips, pattern = "" } = chooseSuites([file], ["key"]);
    expect(suites).toEqual([file]);
    expect(skips.every(({ test }) => test !== undefined)).toBe(true);
    expect("An app with endless fills of all memory can be stopped").not.toMatch(new RegExp(pattern));
    expect("An app with an empty loop can be stopped").toMatch(new RegExp(pattern));
  });
});
