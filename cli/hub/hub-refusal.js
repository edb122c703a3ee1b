/** An error of a hub, or of a call that reached no hub: uses the codes of the table of errors, with its own advice. */
export class HubRefusal extends Error {
  /** @override */
  name = "HubRefusal";

  /**
   * @param {string} code
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }
}
