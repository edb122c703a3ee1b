/** `setup/boot`: run before `main`, which follows only if this is the firmware to run. */
import { readConfig } from "device/services/config/read-config";
import { FIRMWARE } from "device/services/firmware/firmware-facts";
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
export default function boot(done) {
  native("xs_boot_begin").call(this, FIRMWARE.version);
  native("xs_boot_limit_trial").call(this, confirmTimeoutSeconds());
  done();
}
