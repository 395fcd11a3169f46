/** Virtual times are stored as integers, in thousandths of a token of weight 1. */
export const VIRTUAL_TIME_SCALE = 1_000
