/** `setup/start`: the host's part of a start, run before `main`. */
import { readConfig } from "device/services/config/read-config";
import host from "svc/host";

/** The program will reject invalid options; until then the default applies. */
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
