/**
 * Changes the keys with which the console's owner signs apps (docs/spec/keys.md#owner-keys). Over the cable a change is
 * made now. Over the network and on the home screen it is asked for, and who holds the console decides: one question at a
 * time, for two minutes, among those of the hub (`GET /api/hub/questions`).
 *
 * While a question waits, the home screen sees no buttons of the network (`pressButtons`): the bearer token may be stolen,
 * and must not answer what it has asked.
 */
import type { HubQuestion, OwnerKeysAnswer } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal, readHexadecimal } from "../../../protocol/hexadecimal.js";
import type { Ed25519 } from "../../../protocol/ports/crypto.js";
import type { Timer } from "../../../protocol/ports/runtime.js";
import type { Buttons } from "../../ports/display.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import type { Config } from "../config/options.js";
import type { Logger } from "../logs/log-line.js";
import { OWNER_KEYS_LIMIT } from "./owner-keys-file.js";
import type { TrustedKeysFile } from "./trusted-keys-file.js";

/** Time to take the console in hand and to compare 64 digits. A refused question takes it all: who asks cannot urge. */
const QUESTION_S = 120;

/** Digits that name a key in lists and messages, and are enough of it to remove it. */
const LABEL_DIGITS = 16;

export interface OwnerKeysOptions {
  readonly ed25519: Ed25519;
  readonly trustedKeys: TrustedKeysFile;
  readonly timer: Timer;
  readonly logger: Logger;
  /** Called when the keys have changed, or only a question has come or gone. */
  onChange(isQuestion?: boolean): void;
}

interface Asked {
  readonly question: HubQuestion & { readonly name: string };
  isRefused: boolean;
}

export class OwnerKeys {
  readonly #options: OwnerKeysOptions;
  /** Until it is accepted, or its time is over. */
  #asked: Asked | undefined;
  #askedCount = 0;

  constructor(options: OwnerKeysOptions) {
    this.#options = options;
  }

  /** The question that waits, if one does. */
  get questions(): readonly HubQuestion[] {
    const asked = this.#asked;
    return asked && !asked.isRefused ? [asked.question] : [];
  }

  /** @param question id of the one to name */
  summary(question = this.questions[0]?.id): OwnerKeysAnswer {
    const keys = this.#options.trustedKeys.ownerKeys().map((key) => ({ key: hexadecimal(key) }));
    return question ? { keys, question } : { keys };
  }

  /**
   * Adds or removes a key, or asks whether to. To add one that is there changes nothing.
   * @param text hexadecimal digits of a key; to remove it, from {@link LABEL_DIGITS} on
   * @returns the id of the question, if the console asks
   * @throws {Fault} `keys_invalid`, `key_not_found`, `too_many_keys`, `busy` while the console asks, `storage_full`
   */
  change(text: string, isRemoval: boolean, isToAsk: boolean): string | undefined {
    const { ed25519, logger, onChange, trustedKeys } = this.#options;
    const before = trustedKeys.ownerKeys();
    const known = before.find((own) => text.length >= LABEL_DIGITS && hexadecimal(own).startsWith(text));
    const keys = before.filter((own) => own !== known);
    if (isRemoval && !known) throw new Fault("key_not_found", "The owner has no such key");
    if (!isRemoval) {
      const publicKey = readHexadecimal(text);
      if (publicKey?.length !== 32 || !ed25519.isPublicKey(publicKey))
        throw new Fault("keys_invalid", "An Ed25519 key must be 64 hexadecimal digits in lower case");
      if (known) return undefined;
      if (keys.push(publicKey) > OWNER_KEYS_LIMIT)
        throw new Fault("too_many_keys", `The console takes ${OWNER_KEYS_LIMIT} keys of its owner`);
    }
    const kind = isRemoval ? "remove_key" : "add_key";
    const key = known ? hexadecimal(known) : text;
    if (isToAsk) return this.#ask(kind, key);
    trustedKeys.writeOwnerKeys(keys);
    logger.warning(`${kind} ${key}`);
    onChange();
    return undefined;
  }

  /**
   * Makes or drops the change that a question is about. After a refusal, no other is asked before its time is over.
   * @returns false for an id of none
   * @throws {Fault} as {@link change}
   */
  answer(id: string, isAccepted: boolean): boolean {
    const asked = this.#asked;
    if (!asked || this.questions[0]?.id !== id) return false;
    const { kind, name } = asked.question;
    asked.isRefused = !isAccepted;
    if (isAccepted) {
      this.#asked = undefined;
      this.change(name, kind === "remove_key", false);
    } else this.#options.onChange(true);
    return true;
  }

  /** @returns the id of the question, which is the same while it waits */
  #ask(kind: HubQuestion["kind"], name: string): string {
    const [waiting] = this.questions;
    if (waiting?.kind === kind && waiting.name === name) return waiting.id;
    if (this.#asked)
      throw new Fault("busy", "The console asks about one key at a time, and not again at once", {
        details: { retry_after_s: QUESTION_S },
      });
    const { logger, onChange, timer } = this.#options;
    // Each has its own id: no answer and no card of one before counts for it.
    const id = `${kind}-${++this.#askedCount}`;
    const asked = { question: { id, kind, name }, isRefused: false };
    this.#asked = asked;
    timer.set(() => {
      if (this.#asked !== asked) return;
      this.#asked = undefined;
      onChange(true);
    }, QUESTION_S * 1000);
    logger.warning(`asking to ${kind} ${name}`);
    onChange(true);
    return id;
  }
}

// `GET` and `POST /api/keys/owner`.

interface Needed {
  readonly ownerKeys: OwnerKeys;
  readonly buttons: Pick<Buttons, "press">;
  readonly config: Pick<Config, "CONFIG_SVC_HOME_SCREEN">;
}

export function showOwnerKeys({ ownerKeys }: Pick<Needed, "ownerKeys">): JsonAnswer {
  return { status: 200, body: ownerKeys.summary() };
}

/**
 * The answer has the question of this request, not of another one.
 * @throws {Fault} as {@link OwnerKeys.change}; `usb_only` where no home screen can ask
 */
export function changeOwnerKeys(services: Needed, { parameters, request }: Call): JsonAnswer {
  const { buttons, config, ownerKeys } = services;
  const isToAsk = request.transport !== "usb";
  if (isToAsk && !config.CONFIG_SVC_HOME_SCREEN)
    throw new Fault("usb_only", "Without a home screen keys are changed over USB");
  const question = ownerKeys.change(
    parameters.text("key") ?? "",
    parameters.flag("remove") ?? false,
    isToAsk,
  );
  if (question !== undefined) buttons.press(0, false); // what the network holds down must not answer
  return { status: 200, body: ownerKeys.summary(question ?? "") };
}
