/**
 * Runs the contract of read-only directories on the SD card. Then prints the content of the USB drive once, and after that
 * only whether the drive and the files opened on it are present.
 */
import drives from "svc/drives";
import system from "svc/system";
import timer from "timer";
import type { ReadOnlyDirectory, ReadOnlyFile } from "../../../device/ports/drives.js";
import { READ_ONLY_DIRECTORY_CONTRACT } from "../../contracts/read-only-directory.js";

const LOOK_INTERVAL_MS = 10;

const say = (value: object) => trace(`${JSON.stringify(value)}\n`);

export default async function main(): Promise<void> {
  await runContract();
  if (drives.usb) tellContent(drives.usb);
  watch();
  system.ready({ name: "Console-TEST", httpPort: 0, wsPort: 0 });
}

async function runContract(): Promise<void> {
  if (!drives.sd) return;
  for (const { name, run } of READ_ONLY_DIRECTORY_CONTRACT) {
    let problem: string | undefined;
    try {
      await run(drives.sd);
    } catch (error) {
      problem = String(error);
    }
    say({ name, problem });
  }
}

function tellContent(drive: ReadOnlyDirectory): void {
  const names = [...drive.scan()].sort();
  const candidates = [...names, "link-to-file", "link-to-directory", "link-inside", "pipe"];
  say({ names, readable: candidates.filter((name) => isAnything(drive, name)) });
}

function isAnything(drive: ReadOnlyDirectory, path: string): boolean {
  const attempts = [
    () => drive.openFile({ path }),
    () => drive.openDirectory({ path }),
    () => drive.status(path),
    () => [...drive.scan(path)],
    () => drive.status(`${path}/inside`),
  ];
  return attempts.some((attempt) => outcomeOf(attempt) === "done");
}

/** Says what has changed, with a file that stays open and a scan that stays where it is. */
function watch(): void {
  let file: ReadOnlyFile | undefined;
  let names: Iterator<string> | undefined;
  let said = "";
  timer.repeat(() => {
    const { usb } = drives;
    if (usb && !file && isAnything(usb, "watched")) {
      file = usb.openFile({ path: "watched" });
      names = usb.scan();
    }
    const state = {
      isThere: usb !== undefined,
      file: outcomeOf(() => file?.read(new Uint8Array(1), 0)),
      scan: outcomeOf(() => names?.next()),
    };
    if (JSON.stringify(state) === said) return;
    said = JSON.stringify(state);
    say(state);
  }, LOOK_INTERVAL_MS);
}

function outcomeOf(attempt: () => unknown): string {
  try {
    attempt();
    return "done";
  } catch (error) {
    return `${error} (${(error as { readonly code?: unknown }).code})`;
  }
}
