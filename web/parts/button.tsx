/** A button with the corners of a pixel. While it is busy it stays where it is, focus included, and does nothing. */
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import "./button.css";

export interface ButtonProps {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  /** What it has started is under way. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  /** Where the children alone do not say it: "Start bricks". */
  readonly label?: string;
  readonly pressed?: boolean;
  /** Id of the form that it submits from outside. */
  readonly form?: string;
  readonly autoFocus?: boolean;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind = "plain", busy = false, disabled = false } = props;
  return (
    <button
      type={props.type ?? "button"}
      class={`button button-${kind}`}
      form={props.form}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-busy={busy || undefined}
      // A disabled button would lose the focus that it had when it was pressed.
      aria-disabled={busy || undefined}
      disabled={disabled}
      autofocus={props.autoFocus}
      onClick={(event) => (busy ? event.preventDefault() : props.onClick?.(event))}
    >
      {props.children}
    </button>
  );
}
