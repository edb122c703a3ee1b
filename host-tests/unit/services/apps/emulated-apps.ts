/** The app services over an emulated storage, with guests that the test controls. */
import { vi } from "vitest";
import type { Drives } from "../../../../device/ports/drives.js";
import type { Advertising } from "../../../../device/services/apps/advertising.js";
import { AppRunner } from "../../../../device/services/apps/app-runner.js";
import type { AppStore } from "../../../../device/services/apps/app-store.js";
import { Apps } from "../../../../device/services/apps/apps.js";
import { GuestCalls } from "../../../../device/services/apps/guest-calls.js";
import {
  GuestConnections,
  type GuestConnectionsOptions,
} from "../../../../device/services/apps/guest-connections.js";
import { GuestRequests } from "../../../../device/services/apps/guest-requests.js";
import type { HeapAdmission } from "../../../../device/services/heap/heap-admission.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { Lookups } from "../../../../device/services/network/lookups.js";
import { readOwnerKeys } from "../../../../device/services/trust/owner-keys-file.js";
import { RevocationsFile } from "../../../../device/services/trust/revocations-file.js";
import { isEqual } from "../../../../device/services/trust/trusted-keys-file.js";
import type { AppEntry } from "../../../../protocol/device/answers.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedRetainedMemory } from "../../../hosts/emulated-system.js";
import { NodeDigest, nodeBase64, nodeMemory } from "../../../hosts/node-bytes.js";
import { nodePorts } from "../../hub-client/client-ports.js";
import { openStore } from "./staged-apps.js";

export interface EmulatedApps {
  readonly apps: Apps;
  readonly runner: AppRunner;
  readonly store: AppStore;
  readonly clock: EmulatedClock;
  readonly log: LogService;
  /** Counts what would be `status` events. */
  readonly onChange: ReturnType<typeof vi.fn>;
  readonly onFrontFree: ReturnType<typeof vi.fn>;
  /** The guest that started last. */
  readonly guest: () => EmulatedGuest;
}

const noNetwork: Pick<GuestConnectionsOptions, "Socket" | "lookups" | "isOwnPort"> = {
  Socket: class {
    constructor() {
      throw new Error("There is no network here");
    }
  } as unknown as GuestConnectionsOptions["Socket"],
  isOwnPort: () => false,
  lookups: new Lookups(
    { resolve: (_, callback) => queueMicrotask(() => callback(new Error("no such host"), undefined)) },
    2,
  ),
};

export interface AppsFacts {
  readonly storage?: EmulatedStorage;
  readonly network?: typeof noNetwork;
  readonly heap?: HeapAdmission;
  readonly drives?: Drives;
  readonly advertising?: Advertising;
  /** What runs the apps. */
  readonly Guest?: typeof EmulatedGuest;
}

const NO_DRIVES: Drives = Object.freeze({ slots: [], sd: undefined, usb: undefined });

export function emulatedApps({
  storage = new EmulatedStorage(),
  network = noNetwork,
  heap,
  drives = NO_DRIVES,
  advertising,
  Guest = EmulatedGuest,
}: AppsFacts = {}): EmulatedApps {
  const { files } = storage;
  const clock = new EmulatedClock(1000);
  const log = new LogService({
    clock,
    buffer: new Uint8Array(8192),
    retained: emulatedRetainedMemory(),
    level: "debug",
  });
  const guests: EmulatedGuest[] = [];
  const onChange = vi.fn();
  const onFrontFree = vi.fn();
  const store = openStore(storage);
  const runner: AppRunner = new AppRunner({
    store,
    files,
    clock,
    heap,
    log,
    onChange,
    onFrontFree,
    architecture: "native",
    trustedKeys: {
      revocations: new RevocationsFile(files, nodeMemory),
      hasOwnerKey: (key) => readOwnerKeys({ files, base64: nodeBase64 }).some((own) => isEqual(own, key)),
    },
    Digest: NodeDigest,
    Guest: class extends Guest {
      constructor(options: ConstructorParameters<typeof EmulatedGuest>[0]) {
        super(options);
        guests.push(this);
      }
    },
    runningAppsLimit: 2,
    stackBytes: 8192,
    callsFor: (name, guest) =>
      new GuestCalls({
        name,
        guest,
        files,
        drives,
        apps,
        advertising,
        connections: new GuestConnections({ ...network, timer: clock }),
        requests: new GuestRequests({
          ...network,
          ports: nodePorts({ Socket: network.Socket, isOwnPort: network.isOwnPort }),
          timer: clock,
          requestCount: { open: 0 },
          onFailure: () => {},
        }),
        time: { nowMs: undefined, utcOffsetMin: 0 },
        logger: log.loggerFor("apps"),
      }),
  });
  const apps: Apps = new Apps({ files, store, runner, onChange, logger: log.loggerFor("apps") });
  const guest = () => guests.at(-1) ?? fail();
  return { apps, runner, store, clock, log, onChange, onFrontFree, guest };
}

function fail(): never {
  throw new Error("No app has been started");
}

/** All lines of the log, without their times. */
export function linesOf(log: LogService): string[] {
  const lines: string[] = [];
  for (let number = log.first; number < log.next; number++) lines.push(log.line(number).replace(/^\S+ /, ""));
  return lines;
}

/** All entries. */
export function listOf(apps: Apps): AppEntry[] {
  return apps.names.map((name) => apps.entry(name));
}
