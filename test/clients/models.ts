export const PEBBLE = 'headrace/pebble'

/** The same model, but every earlier assistant message must come back with its reasoning. */
export const PEBBLE_STRICT = 'headrace/pebble-strict'
