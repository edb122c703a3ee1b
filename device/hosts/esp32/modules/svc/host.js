/** `svc/host`: what the manifest's `config` says. */
import config from "mc/config";

export default config;
