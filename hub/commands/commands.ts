/**
 * Commands as desired state: what a device is to do is a row until its result has come, and is said again on every
 * connection. Sending is a matter of the push channel; this is the book.
 */
import type { Transaction } from "kysely";
import type { HubContext } from "../context.js";
import type { CommandKind, Row, Tables } from "../database/schema.js";

export interface Order {
  readonly deviceId: string;
  readonly kind: CommandKind;
  /** The app's id, `""` for firmware. */
  readonly subject: string;
  /** `""` for `uninstall`. */
  readonly version: string;
}

export interface GivenCommand {
  readonly deviceId: string;
  readonly command_id: string;
  /** `sent` where the device is connected and is being told, else `queued`. */
  readonly state: "sent" | "queued";
}

export class Commands {
  readonly #context: HubContext;

  constructor(context: HubContext) {
    this.#context = context;
  }

  /**
   * Writes commands down, each in the place of the pending one for the same subject of the same device, and has the
   * connected devices told. Any number of devices in a few statements.
   * @param rolloutId the rollout whose commands they are
   * @param transaction writes them as a part of it; nobody is told then, which is for {@link tell} once it is committed
   */
  give(
    _orders: readonly Order[],
    _rolloutId?: string,
    _transaction?: Transaction<Tables>,
  ): Promise<readonly GivenCommand[]> {
    throw new Error(`not built ${this.#context.processId}`);
  }

  /** Has the connected ones of these devices told that there are commands for them. A hint, which may be lost. */
  tell(_deviceIds: readonly string[]): Promise<void> {
    throw new Error("not built");
  }

  /**
   * What is still pending of a rollout will not be done; devices that were told already may do it all the same.
   * @param transaction of which it is a part, where there is one
   * @param deviceIds only for these
   */
  cancelRollout(
    _rolloutId: string,
    _transaction?: Transaction<Tables>,
    _deviceIds?: readonly string[],
  ): Promise<void> {
    throw new Error("not built");
  }

  /** Told of commands of rollouts that are pending no more, by any process, soon after; may be told twice. */
  onEnded(_callback: (commands: readonly Row<"commands">[]) => void): void {
    throw new Error("not built");
  }
}
