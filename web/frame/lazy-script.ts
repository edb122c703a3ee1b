/**
 * A script that is loaded on first use, and retried after a failure, since its server may be restarting.
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

  /** @param fetchModule gets the number of failures, since browsers may not refetch a module from the same address */
  constructor(fetchModule: (failures: number) => Promise<Module>) {
    this.#fetchModule = fetchModule;
  }

  get state(): ReadonlySignal<LazyScriptState<Module>> {
    return this.#state;
  }

  /** No-op while loading or loaded. Does not reject: the view of the state reports a failure. */
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
