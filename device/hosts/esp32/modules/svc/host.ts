/** `svc/host`: values of the manifest's `config`, and whether this run is in safe mode. */
import config from "mc/config";

const host = {
  ...config,
  get safeMode(): boolean {
    return native("xs_system_safe_mode").call(this);
  },
};

export default Object.freeze(host);
