/** Which of two figures is better; length, for one, has no better side. */
export type Aim = 'less' | 'more' | 'none'

/** The place of the better figure; undefined if neither is, or one is not known. */
export function betterOf(aim: Aim, one: number | null, two: number | null): 0 | 1 | undefined {
  if (aim === 'none' || one === null || two === null || one === two) return undefined
  return one < two === (aim === 'less') ? 0 : 1
}
