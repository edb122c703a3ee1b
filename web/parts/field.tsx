/** A labelled input with a hint or an error message, whose space is reserved. */
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import "./field.css";

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value; takes the place of the hint. */
  readonly error?: string | undefined;
  /** Beside the input: a button that belongs to it. */
  readonly beside?: ComponentChildren;
  /** For names, addresses and code: every character counts, so spelling correction is off. */
  readonly isCode?: boolean;
  readonly type?: "text" | "password" | "search" | "url";
  readonly placeholder?: string;
  /** Which keys a phone shows. */
  readonly inputMode?: "text" | "url" | "search" | "numeric";
  /** As the attribute: `off`, `current-password`. */
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** It can be selected and copied. */
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
          type={type as "text"} // whose attributes all of these types have
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
