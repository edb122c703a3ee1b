/**
 * View state of the shell: entered commands, their output, and the current input. One per session. It persists, and a
 * command keeps running, while other panels are shown.
 */
import { computed, signal } from "@preact/signals";
import { DeviceError } from "../../../device-client/device-error.js";
import { adviceOf } from "../../advice.js";
import { type Session, watchForOther } from "../../session/session.js";
import { readStored, store } from "../../session/stored.js";
import {
  type CommandHistory,
  complete,
  entered,
  historyOf,
  lineOf,
  moved,
  type Usage,
  usagesOf,
} from "./command-line.js";

const HISTORY_KEY = "svc/shell-history";

export class Terminal {
  readonly entries = signal<readonly ScrollbackEntry[]>([]);
  readonly line = signal("");
  /** Whether a command is running. */
  readonly isBusy = signal(false);
  /** Whether the firmware was built without the shell. */
  readonly isDisabled = computed(() => {
    const state = this.#session.state.value;
    return "system" in state && !state.system.features.includes("shell");
  });

  readonly #session: Session;
  #history: CommandHistory = historyOf(readStored(HISTORY_KEY));
  #usages: readonly Usage[] = [];
  /** The line whose choices have been listed: a second Tab moves the focus on. */
  #listedFor: string | undefined;

  constructor(session: Session) {
    this.#session = session;
    watchForOther(session, () => this.#tellOther());
  }

  /** Notes in the output that another console follows; earlier output stays, so that it can be copied. */
  #tellOther(): void {
    const state = this.#session.state.peek();
    if (this.entries.peek().length === 0 || !("system" in state)) return;
    this.#print("note", `From here on: ${state.system.name}, which is another console`);
  }

  /** Runs the current line as a command. */
  async enter(): Promise<void> {
    const command = this.line.peek().trim();
    if (command === "" || this.isBusy.peek()) return;
    this.#history = entered(this.#history, command);
    store(HISTORY_KEY, this.#history.entries);
    this.line.value = "";
    this.#print("command", command);
    this.isBusy.value = true;
    try {
      await this.#run(command);
    } finally {
      this.isBusy.value = false;
    }
  }

  async #run(command: string): Promise<void> {
    const device = this.#session.device.peek();
    if (!device) return this.#print("error", "The console is not connected. Retrying until it is back.");
    try {
      const { output } = await device.shell(command);
      this.#print("output", output === "" ? "(no output)" : output);
    } catch (error) {
      this.#print("error", textOfError(error));
    }
  }

  /** Reads the console's commands for completion; everything else works without them. */
  async learnCommands(): Promise<void> {
    try {
      this.#usages = usagesOf((await this.#session.device.peek()?.shell("help"))?.output ?? "");
    } catch {
      this.#usages = []; // the next entered command reports the error
    }
  }

  /** @returns false if there is nothing to complete: Tab then moves the focus to the next control */
  complete(): boolean {
    const line = this.line.peek();
    const apps = this.#session.apps.peek() ?? [];
    const completion = complete(
      line,
      this.#usages,
      apps.map(({ name }) => name),
    );
    if (completion.line !== line) {
      this.line.value = completion.line;
      return true;
    }
    if (line === "" || completion.choices.length === 0 || this.#listedFor === line) return false;
    this.#listedFor = line;
    this.#print("note", completion.choices.join("   "));
    return true;
  }

  /** Shows the previous (-1) or next (1) command of the history. */
  goInHistory(step: 1 | -1): void {
    this.#history = moved(this.#history, step, this.line.peek());
    this.line.value = lineOf(this.#history);
  }

  write(line: string): void {
    this.#listedFor = undefined;
    this.line.value = line;
  }

  clear(): void {
    this.entries.value = [];
  }

  #print(kind: ScrollbackEntry["kind"], text: string): void {
    this.entries.value = added(this.entries.peek(), kind, text);
  }
}

function textOfError(error: unknown): string {
  if (!(error instanceof DeviceError)) return String(error);
  const advice = adviceOf(error);
  return advice ? `${error.message}. ${advice}` : error.message;
}

const terminals = new WeakMap<Session, Terminal>();

export function terminalOf(session: Session): Terminal {
  let terminal = terminals.get(session);
  if (!terminal) {
    terminal = new Terminal(session);
    terminals.set(session, terminal);
  }
  return terminal;
}

/** Both limits keep the page fast. The longest output, a file of the console, has at most 256 KiB. */
export const SCROLLBACK_ENTRIES = 500;
export const SCROLLBACK_CHARACTERS = 1_000_000;

export interface ScrollbackEntry {
  readonly id: number;
  /** A command of the user, output of the console, an error, or a note of the page. */
  readonly kind: "command" | "output" | "error" | "note";
  readonly text: string;
}

/** Appends an entry, without its last line feed; drops the oldest entries past the limits. */
export function added(
  entries: readonly ScrollbackEntry[],
  kind: ScrollbackEntry["kind"],
  text: string,
): ScrollbackEntry[] {
  const id = (entries.at(-1)?.id ?? 0) + 1;
  const all = [...entries, { id, kind, text: text.replace(/\n$/, "") }];
  let start = Math.max(0, all.length - SCROLLBACK_ENTRIES);
  let characters = all.slice(start).reduce((sum, entry) => sum + entry.text.length, 0);
  while (characters > SCROLLBACK_CHARACTERS && start < all.length - 1)
    characters -= all[start++]?.text.length ?? 0;
  return all.slice(start);
}

/** The text for the clipboard; commands start with the prompt. */
export function textOf(entries: readonly ScrollbackEntry[]): string {
  return entries.map(({ kind, text }) => `${kind === "command" ? "> " : ""}${text}\n`).join("");
}
