/** `setup/start`: run before `main`: the host's part of a start. */
import { readConfig } from "device/services/config/read-config";
import host from "svc/host";

/** Options that cannot be read are refused by the program, in a moment; until then the default holds. */
function confirmTimeoutSeconds() {
  try {
    return readConfig(host.options ?? {}).CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S;
  } catch {
    return readConfig({}).CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S;
  }
}

/** @this {unknown} @param {() => void} done */
export default function start(done) {
  native("xs_start").call(this, confirmTimeoutSeconds());
  done();
}
