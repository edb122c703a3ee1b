/** `trace` writes to standard error, where the SDK's prints nothing in a release build. */
globalThis.trace = function (text) {
  native("xs_trace").call(this, text);
};
