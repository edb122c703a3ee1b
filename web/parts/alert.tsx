/** A warning where it applies; screen readers read it as it appears. */
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.js";
import "./alert.css";

export function Alert(props: {
  readonly tone?: "bad" | "warning" | "quiet";
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const { tone = "bad", title, children } = props;
  return (
    <div class={`alert alert-${tone}`} role={tone === "quiet" ? undefined : "alert"}>
      <Icon name={tone === "quiet" ? "connect" : "warning"} />
      <div>
        <p class="alert-title">{title}</p>
        {children}
      </div>
    </div>
  );
}
