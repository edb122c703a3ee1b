/** Asks about a signature whose file name does not match the app: mixed up, or only renamed. */
import { Alert } from "../parts/alert.js";
import { Button } from "../parts/button.js";

export interface ForeignSignatureProps {
  readonly fileName: string;
  readonly signatureName: string;
  readonly isUsed: boolean;
  readonly onUse: (isUsed: boolean) => void;
}

export function ForeignSignature({ fileName, signatureName, isUsed, onUse }: ForeignSignatureProps) {
  return (
    <Alert tone="warning" title="The signature has another name than the file">
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
