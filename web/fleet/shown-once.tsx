/** A token or secret that the hub shows once: to copy now, or never. */
import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../copy-and-save.js";
import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";
import { Note } from "../parts/messages.js";

interface ShownOnceProps {
  /** "Token of Ada" */
  readonly label: string;
  readonly value: string;
  /** The user has it. */
  readonly onDone: () => void;
}

export function ShownOnce({ label, value, onDone }: ShownOnceProps) {
  const [isCopied, setCopied] = useState<boolean>();
  const place = useRef<HTMLDivElement>(null);
  // What has asked for it may be at another end of the page.
  useEffect(() => place.current?.querySelector("button")?.focus(), []);
  return (
    <div ref={place} class="stack">
      <Field
        label={label}
        value={value}
        onInput={() => {}}
        hint="Copy it now: it is not shown again."
        isReadOnly
        isCode
        autocomplete="off"
      />
      <div class="row">
        <Button kind="primary" label={`Copy ${label}`} onClick={() => void copyText(value).then(setCopied)}>
          Copy
        </Button>
        <Button label={`Done with ${label}`} onClick={onDone}>
          Done
        </Button>
      </div>
      <div role="status">
        {isCopied === true && <Note tone="good">It is on the clipboard.</Note>}
        {isCopied === false && <Note tone="bad">Cannot copy it: select it, and copy it by hand.</Note>}
      </div>
    </div>
  );
}
