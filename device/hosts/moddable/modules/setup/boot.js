/** `setup/boot`: run before `main`, which follows only where this is the firmware that is to run. */
import { readConfig } from "device/services/config/read-config";
import { FIRMWARE } from "device/services/firmware/firmware-facts";
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
export default function boot(done) {
  native("xs_boot_begin").call(this, FIRMWARE.version);
  native("xs_boot_limit_trial").call(this, confirmTimeoutSeconds());
  done();
}
