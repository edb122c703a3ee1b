/** An unusable setting: the process ends with status 2 and this message, which names the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
