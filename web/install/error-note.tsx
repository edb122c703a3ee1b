/** Shows an error where it occurred; screen readers read it as it appears. */
import type { ComponentChildren } from "preact";
import { Alert } from "../parts/alert.js";
import type { UserError } from "./user-error.js";

export function ErrorNote({ error, children }: { error: UserError; children?: ComponentChildren }) {
  return (
    <Alert title={sentence(error.message)}>
      <div class="stack">
        {error.advice && <p>{error.advice}</p>}
        {error.code && <code class="small muted">{error.code}</code>}
        {children && <div class="row">{children}</div>}
      </div>
    </Alert>
  );
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
