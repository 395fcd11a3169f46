/** The memory of all bodies in flight. Every byte that is kept of a body is charged to it. */
export type BodyBudget = {
  /** Bytes charged now. */
  used(): number
  /** Opens the charge of one body, which begins with nothing. */
  open(owner: string): BodyCharge
}

export type BodyCharge = {
  /** Changes what is charged. Returns false, and changes nothing, if that much is not left. */
  resize(bytes: number): boolean
}

/**
 * An owner may take as much as it leaves free. So one alone gets half of the budget, two that take
 * turns get a third each, and there is always room for one more.
 */
export function createBodyBudget(bytesMax: number): BodyBudget {
  /** One entry for each owner with a body in flight. */
  const usedBy = new Map<string, number>()
  let used = 0
  return {
    used: () => used,
    open(owner) {
      let charged = 0
      return {
        resize(bytes) {
          const more = bytes - charged
          const own = (usedBy.get(owner) ?? 0) + more
          if (more > 0 && own > bytesMax - used - more) return false
          charged = bytes
          used += more
          if (own === 0) usedBy.delete(owner)
          else usedBy.set(owner, own)
          return true
        },
      }
    },
  }
}
