/** A button with pixel corners. While busy, it ignores clicks but keeps the focus. */
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import "./button.css";

export interface ButtonProps {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  /** Its action is in progress. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: "button" | "submit";
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  /** Accessible name if the children are not specific enough: "Start bricks". */
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
      // A disabled button would lose the focus.
      aria-disabled={busy || undefined}
      disabled={disabled}
      autofocus={props.autoFocus}
      onClick={(event) => (busy ? event.preventDefault() : props.onClick?.(event))}
    >
      {props.children}
    </button>
  );
}
