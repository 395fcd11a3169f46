export const PEBBLE = 'headrace/pebble'

/** The same model, but requests must contain the reasoning of every assistant message. */
export const PEBBLE_STRICT = 'headrace/pebble-strict'
