/** A labelled input with a hint or an error message, whose space is reserved; a choice; and a checkbox. */
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  /** Error message for the value; replaces the hint. */
  readonly error?: string | undefined;
  /** Button beside the input. */
  readonly beside?: ComponentChildren;
  /** For names, addresses and code: every character counts, so spelling correction is off. */
  readonly isCode?: boolean;
  readonly type?: "text" | "password" | "search" | "url";
  readonly placeholder?: string;
  /** On-screen keyboard of phones. */
  readonly inputMode?: "text" | "url" | "search" | "numeric";
  /** Value of the attribute, for example `off` or `current-password`. */
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** The text can be selected and copied, but not changed. */
  readonly isReadOnly?: boolean;
  readonly autoFocus?: boolean;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLInputElement>) => void;
}

export function Field({
  label,
  value,
  onInput,
  hint,
  error,
  beside,
  isCode,
  isReadOnly,
  type = "text",
  autoFocus,
  ...input
}: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-row">
        <input
          {...input}
          type={type as "text"} // all of these types have its attributes
          autofocus={autoFocus}
          readOnly={isReadOnly}
          {...(isCode && { spellcheck: false, autocapitalize: "off", autocorrect: "off" })}
          id={id}
          class={isCode ? "input mono" : "input"}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
        />
        {beside}
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} class={error === undefined ? "field-note" : "field-note field-error"}>
          {note}
        </p>
      )}
    </div>
  );
}

export interface ChoiceOption {
  readonly value: string;
  readonly text: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly ChoiceOption[];
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** A labelled choice among a few values. */
export function Choice({ label, value, options, disabled, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps {
  readonly text: string;
  /** Accessible name if the text is not specific enough; contains the text. */
  readonly label?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A checkbox that takes effect at once. */
export function Check({ text, label, checked, disabled, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {text}
    </label>
  );
}
