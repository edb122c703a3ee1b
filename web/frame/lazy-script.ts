/**
 * A script that is loaded once it is wanted, and tried again where that has failed, as whoever serves it may restart just
 * then.
 *
 *     absent ──> loading ──> there
 *                   │          ^
 *                   └─> failed ┘
 */
import { type ReadonlySignal, signal } from "@preact/signals";

export type LazyScriptState<Module> =
  | { readonly phase: "absent" | "loading" }
  | { readonly phase: "there"; readonly module: Module }
  | { readonly phase: "failed"; readonly isTried: boolean };

export class LazyScript<Module> {
  readonly #state = signal<LazyScriptState<Module>>({ phase: "absent" });
  readonly #fetchModule: (failures: number) => Promise<Module>;
  #failures = 0;

  /** @param fetchModule is told how often it has failed: browsers may not fetch a module again under the same address */
  constructor(fetchModule: (failures: number) => Promise<Module>) {
    this.#fetchModule = fetchModule;
  }

  get state(): ReadonlySignal<LazyScriptState<Module>> {
    return this.#state;
  }

  /** Does nothing while it is under way, or done. Does not reject: whoever shows the state tells of a failure. */
  async load(): Promise<void> {
    const state = this.#state.peek();
    if (state.phase === "failed" ? state.isTried : state.phase !== "absent") return;
    this.#state.value = state.phase === "failed" ? { ...state, isTried: true } : { phase: "loading" };
    try {
      this.#state.value = { phase: "there", module: await this.#fetchModule(this.#failures) };
    } catch {
      this.#failures++;
      this.#state.value = { phase: "failed", isTried: false };
    }
  }
}
