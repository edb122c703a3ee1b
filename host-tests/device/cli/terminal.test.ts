/** Prompts of `svc` at a terminal: they do not echo secrets, and Ctrl-C and Ctrl-D end them. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bitmap } from "../../hosts/bitmap.js";
import { atTerminal, Svc, temporaryFolder } from "./svc-process.js";

const CONTROL_C = "\u0003";
const CONTROL_D = "\u0004";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Runs `svc` at a terminal with typed input. */
const typing = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  new Svc(args, { within: atTerminal, isTyped: true, environment: { NO_COLOR: "1", ...environment } });

describe("svc hub login at a terminal", () => {
  const asked: (string | undefined)[] = [];
  const hub = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.setHeader("content-type", "application/json").end('{"apps":[],"total":0}');
  });
  const login = () => {
    const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
    return typing(["hub", "login", "--url", url], { XDG_CONFIG_HOME: path.join(folder.path, "login") });
  };
  beforeAll(() => new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve)));
  afterAll(() => hub.close());

  test("accepts the typed token without echoing it", async () => {
    const token = "svca_typed-where-no-one-is-to-see-it";
    const svc = login();
    await svc.until(({ stdout }) => stdout.includes("Token: "));
    svc.child.stdin?.write(`${token}\r`);
    const { status, stdout } = await svc.ended;
    expect(stdout).toContain("logged in to http://127.0.0.1:");
    expect([status, stdout.includes(token)]).toEqual([0, false]);
    expect(asked).toEqual([`Bearer ${token}`]);
  });

  for (const { key, name, status } of [
    { key: CONTROL_C, name: "Ctrl-C", status: 130 },
    { key: CONTROL_D, name: "Ctrl-D", status: 1 },
  ])
    test(`ends at ${name} with status ${status}, and ends its line`, async () => {
      const svc = login();
      await svc.until(({ stdout }) => stdout.includes("Token: "));
      svc.child.stdin?.write(key);
      const ended = await svc.ended;
      expect([ended.status, ended.stdout.split("\r\n")[0]]).toEqual([status, "Token: "]);
    });
});

describe("With a console,", () => {
  let console: AppConsole;
  beforeAll(async () => {
    console = await startAppConsole();
  });
  afterAll(() => console.stop());

  test("Ctrl-C at a password prompt ends svc with 130, and joins no network", async () => {
    const svc = typing(["wifi", "join", "Some network", "--device", `usb:${console.usb}`]);
    await svc.until(({ stdout }) => stdout.includes("Password: "));
    svc.child.stdin?.write(CONTROL_C);
    const { status, stdout } = await svc.ended;
    expect([status, stdout]).toEqual([130, "Password: \r\n"]);
    expect(console.stderr.join("\n")).not.toContain("Some network");
  });

  test("the progress bar shows that the console checks the sent file, and finally the duration", async () => {
    const file = path.join(folder.path, "bar.svcpkg");
    const app = packageOf(await moduleOf(`(module (func (export "main")))`), { name: "bar" });
    writeFileSync(file, app);
    execFileSync("mkfifo", [`${file}.sig`]);
    const svc = new Svc(["install", file, "--device", console.http], { within: atTerminal });
    const signing = await open(`${file}.sig`, "w"); // opens once svc reads the signature, after its requests
    process.kill(console.pid, "SIGSTOP");
    await signing.write(console.publisher.sign(app));
    await signing.close();
    await svc.until(({ stdout }) => stdout.includes("100 %  the console receives and checks it"));
    process.kill(console.pid, "SIGCONT");
    const { status, stdout } = await svc.ended;
    expect([status, stdout]).toEqual([0, expect.stringMatching(/ 100 % {2}\d+ bytes in \d+(\.\d)? s/)]);
  });

  describe("svc apps", () => {
    const ESCAPE = "\u001b";
    const apps = (over: string, environment: Readonly<Record<string, string>>, options = {}) =>
      new Svc(["apps", "--device", over], {
        within: atTerminal,
        environment: {
          KITTY_WINDOW_ID: "",
          TERM_PROGRAM: "",
          LC_TERMINAL: "",
          TMUX: "",
          STY: "",
          ...environment,
        },
        ...options,
      }).ended;

    beforeAll(async () => {
      const module = await moduleOf(`(module (func (export "main")))`);
      for (const [name, icon] of [
        ["drawn", bitmap({ bits: 24, shade: 0x5a })],
        ["plain", undefined],
      ] as const) {
        const file = packageOf(module, { name }, icon);
        const upload = { file, signature: console.publisher.sign(file) };
        expect((await installOverHttp(console, upload)).status).toBe(200);
      }
    });

    for (const over of ["http", "usb"] as const)
      test(`shows icons in a terminal of kitty over ${over}, and keeps the columns`, async () => {
        const address = over === "http" ? console.http : `usb:${console.usb}`;
        const { status, stdout } = await apps(address, { TERM: "xterm-kitty" });
        const lines = stdout.split("\r\n");
        const [drawn, plain] = ["drawn", "plain"].map((name) => lines.find((line) => line.includes(name)));
        expect(status).toBe(0);
        expect(drawn).toMatch(
          /^\u001b_Ga=T,f=100,c=2,r=1,C=1,q=2,m=0;iVBORw0KGgo[\w+/=]+\u001b\\\u001b\[3Cdrawn {2}1/,
        );
        expect(plain).toMatch(/^ {3}plain {2}1/);
      });

    test("shows icons in a terminal of iTerm2", async () => {
      const { stdout } = await apps(console.http, { TERM_PROGRAM: "iTerm.app" });
      expect(stdout).toMatch(/\u001b\]1337;File=inline=1;size=\d+;width=2;height=1;[^:]+:iVBORw0KGgo/);
    });

    test("shows no icon in other terminals, without colours, and in pipes", async () => {
      const kitty = { TERM: "xterm-kitty" };
      const ends = [
        await apps(console.http, {}),
        await apps(console.http, { ...kitty, NO_COLOR: "1" }),
        await apps(console.http, { ...kitty, TMUX: "/tmp/tmux" }),
        await apps(console.http, kitty, { within: undefined }),
      ];
      for (const { status, stdout } of ends) {
        expect([status, stdout.includes(ESCAPE)]).toEqual([0, false]);
        expect(stdout).toMatch(/^drawn {2}1/m);
      }
    });
  });

  test("Ctrl-D ends the shell prompt with status 0, and ends its line", async () => {
    const svc = typing(["shell", "--device", console.http], { XDG_STATE_HOME: folder.path });
    await svc.until(({ stdout }) => stdout.includes("> "));
    svc.child.stdin?.write(CONTROL_D);
    const { status, stdout } = await svc.ended;
    expect([status, stdout.endsWith("\r\n")]).toEqual([0, true]);
  });
});
