/** What a hub has refused, or why none was asked: told by the codes of the table of errors, with advice of its own. */
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
