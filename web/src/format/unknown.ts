/** Not known, which is not zero. */
export const UNKNOWN = '—'
