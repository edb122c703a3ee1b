/**
 * Types of the response bodies of the management API (docs/spec/management-api.md), shared by the console and its
 * clients. Field names end in their unit.
 */

import type { VariantArchitecture } from "../file-kind.js";

/**
 * `GET /api/status`, and `data` of a `status` event: exactly the seven fields of docs/spec/management-api.md#status.
 */
export type DeviceStatus = {
  readonly fw_version: string;
  readonly codename: string;
  readonly uptime_ms: number;
  readonly free_heap_bytes: number;
  /** `""` while no network is joined. */
  readonly wifi_ip: string;
  /** In dBm; 0 while no network is joined, and on a wired connection. */
  readonly wifi_rssi: number;
  readonly bt_mode: "off" | "advertising" | "connected";
};

/** Why the console has started (docs/spec/management-api.md#reset-reason). */
export type ResetReason = "power_on" | "software" | "watchdog" | "crash" | "update" | "rollback";

/** Size and free space of a memory or storage. */
export type Capacity = { readonly total_bytes: number; readonly free_bytes: number };

/** `GET /api/system`. Optional fields are absent on boards that cannot provide them. */
export type SystemInfo = {
  readonly name: string;
  readonly board: string;
  readonly arch: VariantArchitecture;
  readonly mac: string;
  readonly cpu: {
    readonly model: string;
    readonly cores: number;
    readonly frequency_mhz?: number;
    /** Share of time that the main loop was busy over the last seconds. */
    readonly load_percent: number;
  };
  readonly heap: Capacity & { readonly minimum_free_bytes: number };
  readonly psram?: Capacity;
  readonly storage: Capacity;
  readonly firmware: {
    readonly version: string;
    readonly codename: string;
    readonly slot: "a" | "b";
    readonly state: "confirmed" | "pending_confirm";
  };
  readonly reset_reason: ResetReason;
  /** Name of the app in front; absent while none is. */
  readonly foreground?: string;
  /** Present after repeated crashes: apps, drives and the hub stay off until the next restart. */
  readonly safe_mode?: true;
  /** TCP port of the log WebSocket. Consoles before 0.2 omit it and use 8081. */
  readonly ws_port?: number;
  /** Whether a program of the USB host has the port open. Consoles before 0.2 omit it. */
  readonly usb_connected?: boolean;
  readonly limits: {
    readonly line_bytes: number;
    readonly chunk_line_bytes: number;
    readonly chunk_bytes: number;
    readonly suggested_chunk_bytes: number;
    readonly app_bytes: number;
    readonly running_apps: number;
    readonly script_quota_bytes: number;
  };
  /** For example `shell`, `auth`, `unsigned_apps`. */
  readonly features: readonly string[];
};

/** An element of `GET /api/apps/list`, and the response to installing, starting and stopping an app. */
export type AppEntry = {
  readonly name: string;
  readonly version: string;
  readonly state: "stopped" | "running";
  readonly description: string;
  readonly author: string;
  /** Storage used by the installed files. */
  readonly size_bytes: number;
  readonly memory_quota: number;
  readonly capabilities: readonly string[];
  /** Architectures for which an AOT file is installed. */
  readonly variants: readonly string[];
  /** Present if the app has an icon. Consoles before 0.2 omit it. */
  readonly icon?: true;
  /** First 16 hexadecimal digits of the publisher's key; absent if the app was installed without one. */
  readonly publisher?: string;
  /** Present while the app runs. */
  readonly engine?: "wasm3" | "aot";
  /** Present while the app is in front: it alone has the display and the buttons. */
  readonly foreground?: true;
  /** Present while the app runs but gets no time, until it is in front again. */
  readonly suspended?: true;
  /** Present if the user lets the app run in the background. */
  readonly background?: true;
  readonly last_exit?: LastExit;
};

/** How an app's last run ended. */
export type LastExit = {
  readonly reason: "exit" | "trap" | "stopped" | "quota" | "host_error";
  readonly code?: number;
  readonly message?: string;
  /** When the app ended, in milliseconds since the boot before it. */
  readonly at_ms: number;
};

/** `GET /api/ota/status`. */
export type OtaStatus = {
  readonly state: "idle" | "receiving" | "staged" | "pending_confirm";
  /** Bytes of the bundle being received or staged; 0 otherwise. */
  readonly received_bytes: number;
  /** Length of that bundle; 0 while it is not known yet. */
  readonly total_bytes: number;
  readonly progress_percent: number;
  readonly running_version: string;
  readonly running_slot: "a" | "b";
  readonly staged_version?: string;
  readonly confirm_within_ms?: number;
  readonly available?: AvailableFirmware;
  readonly last_result?: LastResult;
};

/** Firmware that the hub has announced and the console has not downloaded yet. */
export type AvailableFirmware = { readonly version: string; readonly download_url: string };

/** `/api/keys/revocations`. A `number` of 0 means that there is no list. */
export type RevocationsAnswer = {
  readonly number: number;
  readonly revoked: number;
};

/** How the last update ended. */
export type LastResult = {
  readonly result: "confirmed" | "rolled_back" | "rejected";
  /** Fault code of a rejected upload, or the reason why a trial ended. */
  readonly error?: string;
  /** One sentence for display. */
  readonly message?: string;
  readonly version?: string;
};

/** `GET` and `POST /api/cmd`. */
export type ShellAnswer = {
  /** Output of the command; every line ends with LF. */
  readonly output: string;
  /** Fault code if the command failed. */
  readonly error?: string;
};

/** `GET` and `POST /api/settings`. */
export type Preferences = {
  /** The app that starts with the console; `""` none, `"*"` the one that was in front last. */
  readonly start_app: string;
  /** Of the display: 10 to 100. */
  readonly brightness_percent: number;
  /** Seconds without a button after which the display goes dark; 0: never. */
  readonly sleep_after_s: number;
  readonly updates: Updates;
  /** By which local time is ahead of UTC: `+02:00`, `-03:30`. Missing in firmware of 0.1.0. */
  readonly utc_offset?: string;
};

/**
 * What the hub's commands need: `ask` a yes of the user for firmware, `ask_all` also for apps, `automatic` none.
 */
export type Updates = "ask" | "ask_all" | "automatic";

/** `POST /api/factory-reset`. */
export type FactoryResetAnswer = { readonly resetting: true };

/** `GET /api/hub`. */
export type HubStatus = {
  readonly url: string;
  readonly connected: boolean;
  readonly device_id?: string;
  /** Over USB only, and only until an account claims the console. */
  readonly claim_code?: string;
};

/** What the hub has ordered and the user has not answered: an element of `GET /api/hub/questions`. */
export type HubQuestion = {
  /** Names the question when it is answered. */
  readonly id: string;
  readonly kind: "install" | "uninstall" | "firmware";
  /** Of the app; absent for firmware. */
  readonly name?: string;
  /** Of the app or firmware; absent for `uninstall`. */
  readonly version?: string;
  /** Length of the file, as the hub says. */
  readonly size_bytes?: number;
  /** Name of the publisher, as the hub says. */
  readonly publisher?: string;
};

/** `GET` and `POST /api/hub/questions`. */
export type HubQuestions = { readonly questions: readonly HubQuestion[] };

/** `GET /api/wifi`. */
export type WifiStatus = {
  readonly state: "unprovisioned" | "joining" | "joined" | "waiting";
  /** The configured network, joined or not. */
  readonly ssid?: string;
  /** `""` while no network is joined or the network has assigned no address. */
  readonly ip: string;
  /** In dBm; 0 while no network is joined. */
  readonly rssi: number;
  /** Why joining failed or the network was lost; absent once joined. */
  readonly last_error?: { readonly reason: WifiFailure; readonly message: string };
};

export type WifiFailure = "not_found" | "wrong_password" | "refused" | "lost" | "no_address" | "timeout";

/** An element of `networks` of `GET /api/wifi/scan`. */
export type WifiNetwork = {
  readonly ssid: string;
  readonly rssi: number;
  readonly channel: number;
  readonly secured: boolean;
};

/** `GET /api/wifi/setup`: the set-up access point. Only `state` and `ended` while it is closed. */
export type SetupStatus = {
  /** `joining`: the console joins a network; `joined`: it has, and the access point closes within a second. */
  readonly state: "closed" | "open" | "joining" | "joined";
  /** Why it was closed last; absent if it was not open since the start. */
  readonly ended?: SetupEnd;
  readonly ssid?: string;
  readonly password?: string;
  readonly clients?: number;
  readonly client_limit?: number;
  /** Address of the set-up page. */
  readonly page?: string;
  readonly dns_port?: number;
  readonly closes_in_ms?: number;
  /** Why the last network was not joined. */
  readonly last_error?: { readonly reason: WifiFailure; readonly message: string };
};

export type SetupEnd = "joined" | "closed" | "timeout";

/** `GET /api/auth/token`. */
export type AccessTokenAnswer = { readonly token: string; readonly required: boolean };
