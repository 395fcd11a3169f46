/** Clocks are stored as integers, in thousandths of a token of weight 1. */
export const CLOCK_SCALE = 1_000
