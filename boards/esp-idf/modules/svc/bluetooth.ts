/** `svc/bluetooth`: there is no radio. */
export default undefined;
