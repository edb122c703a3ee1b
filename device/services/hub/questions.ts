/**
 * Commands for apps that wait for the user's answer (docs/spec/device-hub.md#questions). They wait here and not in the
 * queue of commands, so that a question without an answer keeps no other command waiting. They are in memory alone: the
 * hub repeats a command over each connection until it has the result, also after a restart of the console.
 */
import type { HubQuestion } from "../../../protocol/device/answers.js";
import type { Command } from "./command-queue.js";

/** More than a user wants to read. Further commands wait at the hub until one of these is answered. */
const QUESTIONS_LIMIT = 4;

/** Limit of the characters in all waiting commands; a single command may exceed it. */
const QUESTIONS_CHARACTERS_LIMIT = 2048;

/** Ids are UUIDs. Others are replaced, since a client sends the id back. */
const PLAIN_ID = /^[!-~]{1,64}$/;

/**
 * The id of a question. It names the kind, so that no command of the hub can take the place of one of another kind.
 * @param commandId the hub's id of the command, if it gives one
 * @param subject what the command names; the id if the hub's cannot be used
 */
export function questionId(
  kind: HubQuestion["kind"],
  commandId: string | undefined,
  subject: string,
): string {
  return `${kind}-${commandId !== undefined && PLAIN_ID.test(commandId) ? commandId : subject}`;
}

/** A command, and what the user is asked about it. */
export interface AskedCommand {
  readonly command: Command;
  readonly question: HubQuestion;
  /** The user wants none of it: reports that. */
  decline(): void;
}

export class Questions {
  readonly #asked: AskedCommand[] = [];

  /** In the order of their arrival. */
  get list(): readonly HubQuestion[] {
    return this.#asked.map(({ question }) => question);
  }

  /**
   * Adds a command, unless it waits already. It supersedes one for the same app. A command with the id of another one that
   * waits is none: the user, who has seen the other, answers by that id.
   * @returns false if the limit of commands or of their characters is reached
   */
  add(asked: AskedCommand): boolean {
    const { id, subject } = asked.command;
    const same = this.#asked.findIndex(({ command }) => command.subject === subject);
    const known = this.#asked.findIndex(
      ({ command, question }) => command.id === id || question.id === asked.question.id,
    );
    if (known >= 0 && (known !== same || this.#asked[known]?.command.id === id)) return true;
    if (same >= 0) this.#asked.splice(same, 1)[0]?.command.supersede();
    if (!this.#hasRoomFor(asked.command)) return false;
    this.#asked.push(asked);
    return true;
  }

  /** @param id of the question */
  find(id: string): AskedCommand | undefined {
    return this.#asked.find(({ question }) => question.id === id);
  }

  remove(asked: AskedCommand): void {
    const at = this.#asked.indexOf(asked);
    if (at >= 0) this.#asked.splice(at, 1);
  }

  /** Removes and returns all. */
  takeAll(): readonly AskedCommand[] {
    return this.#asked.splice(0);
  }

  #hasRoomFor(command: Command): boolean {
    if (this.#asked.length === 0) return true;
    const characters = this.#asked.reduce((sum, asked) => sum + asked.command.characters, command.characters);
    return this.#asked.length < QUESTIONS_LIMIT && characters <= QUESTIONS_CHARACTERS_LIMIT;
  }
}
