/**
 * Bodies of the console's answers (docs/spec/management-api.md), shared by the console that writes them and the clients
 * that read them. Field names end in their unit.
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
  /** In dBm; 0 while no network is joined, and on a wire. */
  readonly wifi_rssi: number;
  readonly bt_mode: "off" | "advertising" | "connected";
};

/** Bytes of something that fills up. */
export type Capacity = { readonly total_bytes: number; readonly free_bytes: number };

/** `GET /api/system`. What a board does not know is left out. */
export type SystemInfo = {
  readonly name: string;
  readonly board: string;
  readonly arch: VariantArchitecture;
  readonly mac: string;
  readonly cpu: {
    readonly model: string;
    readonly cores: number;
    readonly frequency_mhz?: number;
    /** Busy share of the main loop over the last seconds. */
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
  readonly reset_reason: "power_on" | "software" | "watchdog" | "crash" | "update" | "rollback";
  /** After crashes in a row: neither apps nor drives nor hub, until the next restart. Left out otherwise. */
  readonly safe_mode?: true;
  /** TCP port of the WebSocket that the log is on; consoles before 0.2 do not tell, and have it on 8081. */
  readonly ws_port?: number;
  readonly limits: {
    readonly line_bytes: number;
    readonly chunk_line_bytes: number;
    readonly chunk_bytes: number;
    readonly suggested_chunk_bytes: number;
    readonly app_bytes: number;
    readonly running_apps: number;
    readonly script_quota_bytes: number;
  };
  /** Such as `shell`, `auth`, `unsigned_apps`. */
  readonly features: readonly string[];
};

/** An element of `GET /api/apps/list`; what installing, starting and stopping answer. */
export type AppEntry = {
  readonly name: string;
  readonly version: string;
  readonly state: "stopped" | "running";
  readonly description: string;
  readonly author: string;
  /** What the installed files take. */
  readonly size_bytes: number;
  readonly memory_quota: number;
  readonly capabilities: readonly string[];
  /** Architectures for which an AOT file is installed. */
  readonly variants: readonly string[];
  /** Of the publisher's key the first 16 hexadecimal digits; left out where the app was installed without one. */
  readonly publisher?: string;
  /** While running. */
  readonly engine?: "wasm3" | "aot";
  readonly last_exit?: LastExit;
};

/** How an app's last run ended. */
export type LastExit = {
  readonly reason: "exit" | "trap" | "stopped" | "quota" | "host_error";
  readonly code?: number;
  readonly message?: string;
  /** Milliseconds since the boot of the run in which it ended. */
  readonly at_ms: number;
};

/** `GET /api/ota/status`. */
export type OtaStatus = {
  readonly state: "idle" | "receiving" | "staged" | "pending_confirm";
  /** Of the bundle that is being received, or was staged; 0 otherwise. */
  readonly received_bytes: number;
  /** 0 also while the length of the bundle is not known yet. */
  readonly total_bytes: number;
  readonly progress_percent: number;
  readonly running_version: string;
  readonly running_slot: "a" | "b";
  readonly staged_version?: string;
  readonly confirm_within_ms?: number;
  readonly available?: AvailableFirmware;
  readonly last_result?: LastResult;
};

/** Firmware that the hub has announced and that has not been fetched yet. */
export type AvailableFirmware = { readonly version: string; readonly download_url: string };

/** How the last update ended. */
/** Body of `/api/keys/revocations`; number 0: there is no list. */
export type RevocationsAnswer = {
  readonly number: number;
  readonly revoked: number;
};

export type LastResult = {
  readonly result: "confirmed" | "rolled_back" | "rejected";
  /** Code of the fault that an upload was rejected with, or what a trial ended with. */
  readonly error?: string;
  /** A sentence. */
  readonly message?: string;
  readonly version?: string;
};

/** `GET` and `POST /api/cmd`. */
export type ShellAnswer = {
  /** What the command has printed, each line ended by LF. */
  readonly output: string;
  /** Code of why the command did not do what it says. */
  readonly error?: string;
};

/** `GET /api/hub`. */
export type HubStatus = {
  readonly url: string;
  readonly connected: boolean;
  readonly device_id?: string;
  /** Over USB only, until an account has taken the console. */
  readonly claim_code?: string;
};

/** `GET /api/wifi`. */
export type WifiStatus = {
  readonly state: "unprovisioned" | "joining" | "joined" | "waiting";
  /** The network that is joined or to be joined. */
  readonly ssid?: string;
  /** `""` while no network is joined, and where it gives none. */
  readonly ip: string;
  /** In dBm; 0 while no network is joined. */
  readonly rssi: number;
  /** Why the network could not be joined or was lost; left out once it is joined. */
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

/** `GET /api/auth/token`. */
export type AccessTokenAnswer = { readonly token: string; readonly required: boolean };
