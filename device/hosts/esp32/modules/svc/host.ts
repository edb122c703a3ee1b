/** `svc/host`: values of the manifest's `config`. */
import config from "mc/config";

export default config;
