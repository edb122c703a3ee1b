/** `svc/access-point`: there is no radio. */
export default undefined;
