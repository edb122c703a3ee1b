/**
 * Asks for a missing signature, as a file or as hexadecimal digits; and asks whether to use a signature whose file name
 * does not match the app's.
 */
import { useRef, useState } from "preact/hooks";
import { readSignature } from "../../protocol/signature/signature-text.js";
import { userErrorOf } from "../advice.js";
import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";
import { Alert } from "../parts/messages.js";
import { signatureIn } from "./chosen-files.js";

interface SignatureFieldProps {
  readonly fileName: string;
  /** Whether the console accepts unsigned apps. */
  readonly isOptional: boolean;
  /** Called with `undefined` while the field contains no valid signature. */
  readonly onSignature: (signature: string | undefined) => void;
}

export function SignatureField({ fileName, isOptional, onSignature }: SignatureFieldProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const enter = (entered: string) => {
    const trimmed = entered.trim();
    const found = trimmed === "" ? undefined : problemWith(trimmed);
    setText(trimmed);
    setProblem(found);
    onSignature(trimmed === "" || found !== undefined ? undefined : trimmed);
  };
  const enterFile = (file: File) =>
    signatureIn(file).then(enter, (error: unknown) => {
      setProblem(`"${file.name}": ${userErrorOf(error).message}`);
      onSignature(undefined);
    });
  return (
    <>
      <Field
        label={isOptional ? "Signature (this console does not require one)" : "Signature"}
        value={text}
        onInput={enter}
        error={problem}
        hint={`In the file ${fileName}.sig: choose it, or paste its 128 hexadecimal digits.`}
        isCode
        autocomplete="off"
        beside={<Button onClick={() => input.current?.click()}>Choose…</Button>}
      />
      <input
        ref={input}
        type="file"
        hidden
        accept=".sig"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file) void enterFile(file);
        }}
      />
    </>
  );
}

function problemWith(text: string): string | undefined {
  try {
    readSignature(text);
    return undefined;
  } catch (error) {
    return `${userErrorOf(error).message}; these are ${text.length} characters.`;
  }
}

interface ForeignSignatureProps {
  readonly fileName: string;
  readonly signatureName: string;
  readonly isUsed: boolean;
  readonly onUse: (isUsed: boolean) => void;
}

/** Asks about a signature whose file name does not match the app's: of another app, or only renamed. */
export function ForeignSignature({ fileName, signatureName, isUsed, onUse }: ForeignSignatureProps) {
  return (
    <Alert tone="warning" title="The signature’s name does not match the file’s">
      <div class="stack">
        <p>
          That of <code>{fileName}</code> would be <code>{fileName}.sig</code>, and this is{" "}
          <code>{signatureName}</code>. If it is not of this file, the console refuses the app.
        </p>
        <div class="row">
          <Button pressed={isUsed} onClick={() => onUse(!isUsed)}>
            Use it all the same
          </Button>
        </div>
      </div>
    </Alert>
  );
}
