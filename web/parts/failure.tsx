/** An error of a console, and what to do about it. */
import { DeviceError } from "../../device-client/device-error.js";
import { adviceOf } from "../advice.js";
import { Alert } from "./alert.js";

export function Failure({ error }: { readonly error: Error }) {
  const advice = error instanceof DeviceError ? adviceOf(error) : undefined;
  return <Alert title={error.message}>{advice && <p>{advice}</p>}</Alert>;
}
