import { expect, test } from "vitest";
import type { Card, Drives, ReadOnlyDirectory } from "../../../../device/ports/drives.js";
import type { DriveInstall, ScanResult } from "../../../../device/services/apps/drive-install.js";
import { writeLastExit } from "../../../../device/services/apps/last-exit.js";
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { Shell } from "../../../../device/services/shell/shell.js";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedApps } from "../apps/emulated-apps.js";
import { stage } from "../apps/staged-apps.js";
import { printed } from "./printed.js";

const card = { scan: () => [].values() } as unknown as Card;

interface Plugged {
  readonly drives?: Partial<Drives>;
  readonly results?: readonly ScanResult[];
}

async function shellWithTetris({ drives = {}, results = [] }: Plugged = {}) {
  const storage = new EmulatedStorage();
  const emulated = emulatedApps({ storage });
  const { apps } = emulated;
  const entry = await apps.install(stage(storage));
  const asked: unknown[] = [];
  const installs = {
    installFile: async (drive: ReadOnlyDirectory, path: string) => {
      asked.push(drive, path);
      return entry;
    },
    scan: async () => results,
  } as unknown as DriveInstall;
  const context = { apps, installs, drives, files: storage.files } as unknown as ShellContext;
  return { ...emulated, entry, asked, storage, shell: new Shell(context) };
}

test("app list shows each app with its version, its state and its last exit", async () => {
  const { shell, apps } = await shellWithTetris();
  expect(printed(shell, "app list")).toBe("tetris  1.0.0  stopped\n");
  apps.start("tetris");
  expect(printed(shell, "app list")).toBe("tetris  1.0.0  running\n");
  await apps.stop("tetris");
  expect(printed(shell, "app list")).toBe("tetris  1.0.0  stopped  last exit: stopped\n");
});

test("app start, app status and app stop print the result, or the reason of a failure", async () => {
  const { shell } = await shellWithTetris();
  expect(printed(shell, "app status")).toBe("No app is running.\n");
  expect(printed(shell, "app start tetris")).toBe("Started tetris.\n");
  expect(printed(shell, "app start tetris")).toBe('"tetris" is already running\n');
  expect(printed(shell, "app status")).toBe("tetris  1.0.0  wasm3  in front\n");
  expect(await printed(shell, "app stop tetris")).toBe("Stopped tetris.\n");
  expect(await printed(shell, "app stop tetris")).toBe('"tetris" is not running\n');
  expect(printed(shell, "app start")).toBe("Usage: app start NAME\n");
});

test("app list ends with the number of apps that do not fit", async () => {
  const { apps, shell, storage } = await shellWithTetris();
  for (let number = 10; number < 70; number++) {
    const app = stage(storage, { byteLength: 100 });
    const name = `app-${number}`.padEnd(32, "x");
    await apps.install({ ...app, manifest: { ...app.manifest, name } });
    writeLastExit(storage.files, name, { reason: "trap", message: "unreachable executed", at_ms: 1 });
  }
  const output = `${printed(shell, "app list")}`;
  const lines = output.trimEnd().split("\n");
  expect(output.length).toBeLessThanOrEqual(4096 + 20);
  expect(lines.at(-1)).toBe(`(and ${61 - (lines.length - 1)} more)`);
  expect(lines.length).toBeGreaterThan(40);
});

test("app background is for the owner, and shows in app status", async () => {
  const { apps, runner, shell } = await shellWithTetris();
  const owner = { transport: "usb", isOwner: true, method: "POST" } as const;
  const asOwner = (line: string) => (shell.run(line, owner) as { output: string }).output;
  expect(shell.run("app background tetris on")).toMatchObject({ error: "unauthorized" });
  expect(asOwner("app background tetris perhaps")).toBe('"perhaps" is neither "on" nor "off".\n');
  apps.start("tetris", { isInFront: true, isByUser: true });
  runner.goHome();
  expect(asOwner("app status")).toBe("tetris  1.0.0  wasm3  suspended\n");
  expect(asOwner("app background tetris on")).toBe("tetris may run in the background.\n");
  expect(asOwner("app status")).toBe("tetris  1.0.0  wasm3\n");
  expect(asOwner("app background tetris off")).toBe("tetris runs only in front.\n");
  expect(apps.entry("tetris")).toMatchObject({ suspended: true });
});

test("app uninstall removes an app", async () => {
  const { shell } = await shellWithTetris();
  expect(await printed(shell, "app uninstall tetris")).toBe("Uninstalled tetris.\n");
  expect(await printed(shell, "app uninstall tetris")).toBe('No app is named "tetris"\n');
  expect(printed(shell, "app list")).toBe("No app is installed.\n");
});

for (const path of ["/sd/apps/tetris.svcpkg", "/sd//apps/./x/../tetris.svcpkg"])
  test(`app install ${path} installs the file from the card`, async () => {
    const { shell, asked } = await shellWithTetris({ drives: { sd: card } });
    expect(await printed(shell, `app install ${path}`)).toBe("Installed tetris 1.0.0.\n");
    expect(asked).toEqual([card, "apps/tetris.svcpkg"]);
  });

test("app install rejects a path outside the drives, and reports a missing drive", async () => {
  const { shell } = await shellWithTetris();
  expect(await printed(shell, "app install /etc/passwd")).toBe(
    '"/etc/passwd" is not below /lfs, /sd or /usb.\n',
  );
  expect(await printed(shell, "app install /sd/x.wasm")).toBe('No drive is at "/sd".\n');
});

test("app scan usb prints the result of each file", async () => {
  expect(await printed((await shellWithTetris()).shell, "app scan usb")).toBe("No USB drive is attached.\n");
  const empty = await shellWithTetris({ drives: { usb: card } });
  expect(await printed(empty.shell, "app scan usb")).toBe("The USB drive has no apps.\n");
  const refusal = new Fault("signature_missing", "Cannot accept a file without a signature");
  const results = [
    { file: "a.svcpkg", entry: empty.entry },
    { file: "b.wasm", refusal },
  ];
  const full = await shellWithTetris({ drives: { usb: card }, results });
  expect(await printed(full.shell, "app scan usb")).toBe(
    "a.svcpkg: installed tetris 1.0.0\nb.wasm: Cannot accept a file without a signature\n",
  );
});
