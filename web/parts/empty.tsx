/** Placeholder for an empty place: the reason, and what to do about it. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.js";
import "./empty.css";

export function Empty(props: {
  readonly icon?: IconName;
  readonly title: string;
  /** Sentences, buttons. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty notched">
      {props.icon && <Icon name={props.icon} size={48} />}
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}
