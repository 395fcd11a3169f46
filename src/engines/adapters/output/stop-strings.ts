/** One string that is looked for, and how much of it the text ends with. */
type Sought = {
  readonly string: string
  /** For each length of a beginning: the longest shorter beginning that it ends with. */
  readonly shorter: readonly number[]
  matched: number
}

/**
 * Finds the end of a text at the first of some strings, however the text is cut into parts. What
 * may be the beginning of a string is held back until it is known.
 */
export class StopStrings {
  readonly #sought: readonly Sought[]
  #held = ''
  #isReached = false

  /** None of the strings is empty. */
  constructor(strings: readonly string[]) {
    this.#sought = strings.map((string) => ({ string, shorter: shorterOf(string), matched: 0 }))
  }

  get isReached(): boolean {
    return this.#isReached
  }

  /** Adds a part; returns what is new and known to be before the first string. */
  pass(part: string): string {
    const text = this.#held + part
    for (let at = this.#held.length; at < text.length; at += 1) {
      const found = this.#step(text.charCodeAt(at))
      if (found === 0) continue
      this.#isReached = true
      this.#held = ''
      return text.slice(0, at + 1 - found)
    }
    const begun = Math.max(0, ...this.#sought.map(({ matched }) => matched))
    this.#held = text.slice(text.length - begun)
    return text.slice(0, text.length - begun)
  }

  /** Returns what is held back, and begins a new text. */
  release(): string {
    const held = this.#held
    this.#held = ''
    for (const sought of this.#sought) sought.matched = 0
    return held
  }

  /** The length of the longest string that ends with this unit, or 0. */
  #step(unit: number): number {
    let found = 0
    for (const sought of this.#sought) {
      const { string, shorter } = sought
      while (sought.matched > 0 && string.charCodeAt(sought.matched) !== unit)
        sought.matched = shorter[sought.matched] ?? 0
      if (string.charCodeAt(sought.matched) === unit) sought.matched += 1
      if (sought.matched === string.length) found = Math.max(found, string.length)
    }
    return found
  }
}

/** The table of Knuth, Morris and Pratt. */
function shorterOf(string: string): number[] {
  const shorter = [0, 0]
  for (let length = 1, matched = 0; length < string.length; length += 1) {
    while (matched > 0 && string[matched] !== string[length]) matched = shorter[matched] ?? 0
    if (string[matched] === string[length]) matched += 1
    shorter.push(matched)
  }
  return shorter
}
