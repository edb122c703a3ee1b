/**
 * The history of consoles and the timelines of their commands. Events that belong to no transaction, such as
 * connections, are stored in batches soon after they happened. What a console may add is bounded: a console that
 * connects again and again keeps its newest events only.
 */
import { Fault, quoted } from "../../protocol/fault.js";
import type { Page } from "../api/answers.js";
import { type NewestRows, newestRows } from "../api/newest-rows.js";
import { Batch } from "../batch.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { RecentMap } from "../recent-map.js";
import { type DeviceEvent, deleteSurplus, type EventDetails, writeEvents } from "./device-events.js";

const BATCH_LIMIT = 500;
const DELAY_MS = 50;

/** Events of a console after which this process looks for surplus ones, before the clean-up comes to it. */
const TRIM_EVENTS = 200;

/** Consoles whose events this process counts. */
const COUNTED_DEVICES_LIMIT = 20_000;

/** Steps of a command that its timeline shows: a command is sent again over each connection. */
const STEPS_LIMIT = 200;

/** Of an event, as an endpoint gets it. */
const POSITION = /^[0-9]{1,15}$/;

/** An app of a console that has crashed. */
export interface AppCrash {
  readonly app_id: string;
  readonly version: string;
  /** The line of the console's log. */
  readonly message: string;
}

export class History {
  readonly #context: Pick<HubContext, "database" | "dialect" | "logger" | "now">;
  readonly #events: Batch<DeviceEvent>;
  #onAdded: ((event: Omit<DeviceEvent, "at">) => void) | undefined;
  readonly #counts = new RecentMap<string, number>(COUNTED_DEVICES_LIMIT);

  constructor(context: Pick<HubContext, "database" | "dialect" | "logger" | "now">) {
    this.#context = context;
    this.#events = new Batch<DeviceEvent>({
      limit: BATCH_LIMIT,
      delayMs: DELAY_MS,
      write: (events) => this.#write(events),
      onFailed: (events, error) =>
        context.logger.warn({ err: error, events: events.length }, "lost events of the history of consoles"),
    });
  }

  /** Calls back for each event that is added from now on. */
  onAdded(callback: (event: Omit<DeviceEvent, "at">) => void): void {
    this.#onAdded = callback;
  }

  /** Stores an event soon. */
  add(event: Omit<DeviceEvent, "at">): void {
    this.#onAdded?.(event);
    const { deviceId, kind, connection, commandId, details } = event;
    this.#events.add({ deviceId, at: this.#context.now(), kind, connection, commandId, details });
  }

  /** What happened to a console while this account held it, newest first. */
  list(
    { id, account_id }: Pick<Row<"devices">, "id" | "account_id">,
    page: Page,
  ): Promise<NewestRows<"device_events">> {
    const held = { device_id: id, account_id: account_id ?? "" };
    return newestRows(this.#context.database, "device_events", held, page);
  }

  /**
   * @returns the crash of an app
   * @throws {Fault} `event_not_found`
   */
  async requireCrash(
    { id, account_id }: Pick<Row<"devices">, "id" | "account_id">,
    eventId: string,
  ): Promise<AppCrash> {
    const position = POSITION.test(eventId) ? Number(eventId) : -1;
    const row = await this.#context.database
      .selectFrom("device_events")
      .select("details")
      .where("position", "=", position)
      .where("device_id", "=", id)
      .where("account_id", "=", account_id ?? "")
      .where("kind", "=", "crashed")
      .executeTakeFirst();
    const { app_id, version, message } = JSON.parse(row?.details ?? "{}") as EventDetails;
    if (app_id === undefined || version === undefined || message === undefined)
      throw new Fault("event_not_found", `The console has no crash of an app with the id ${quoted(eventId)}`);
    return { app_id, version, message };
  }

  /** The newest steps of a command in the order in which they happened. */
  async timeline(
    { id, account_id }: Pick<Row<"devices">, "id" | "account_id">,
    commandId: string,
  ): Promise<readonly Row<"device_events">[]> {
    const newest = await this.#context.database
      .selectFrom("device_events")
      .selectAll()
      .where("device_id", "=", id) // which has a bounded number: an index of commands would cost more
      .where("command_id", "=", commandId)
      .where("account_id", "=", account_id ?? "")
      .orderBy("position", "desc")
      .limit(STEPS_LIMIT)
      .execute();
    return newest.sort(
      (one, other) => stageOf(one) - stageOf(other) || one.at - other.at || one.position - other.position,
    );
  }

  /** Resolves when the events that have been added until now are stored, or have failed. */
  flush(): Promise<void> {
    return this.#events.flush();
  }

  /** Resolves when all events are stored, or have failed. */
  close(): Promise<void> {
    return this.#events.drain();
  }

  async #write(events: readonly DeviceEvent[]): Promise<void> {
    const { database, dialect } = this.#context;
    await writeEvents(database, dialect, events);
    for (const { deviceId } of events) {
      const count = (this.#counts.get(deviceId) ?? 0) + 1;
      this.#counts.set(deviceId, count % TRIM_EVENTS);
      if (count === TRIM_EVENTS) await deleteSurplus(database, deviceId);
    }
  }
}

/**
 * A command is ordered before all else, and ends once. Times alone do not tell: processes read the database's clock some
 * milliseconds apart, and store what they send later than results.
 */
function stageOf({ kind }: Row<"device_events">): number {
  if (kind === "ordered") return 0;
  return kind === "sent" || kind === "progress" ? 1 : 2;
}
