/** Steps of an update in a row, each with a mark for its state that needs no colour. */
import { Icon } from "../../parts/icon.js";
import { type StepState, UPDATE_STEPS, type UpdateStep } from "./update-steps.js";

const TITLES: Readonly<Record<UpdateStep, string>> = Object.freeze({
  received: "Received",
  staged: "Staged",
  trial: "Trial",
  confirmed: "Confirmed",
});

const IN_WORDS: Readonly<Record<StepState, string>> = Object.freeze({
  done: "done",
  current: "now",
  ahead: "still to come",
});

export function StepList({ label, states }: { label: string; states: readonly StepState[] }) {
  return (
    <ol class="steps" aria-label={label}>
      {UPDATE_STEPS.map((step, at) => {
        const state = states[at] ?? "ahead";
        return (
          <li key={step} class={`step step-${state}`} aria-current={state === "current" ? "step" : undefined}>
            <span class="step-mark" aria-hidden="true">
              {state === "done" && <Icon name="check" size={12} />}
            </span>
            <span>
              {TITLES[step]}
              <span class="unseen">, {IN_WORDS[state]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
