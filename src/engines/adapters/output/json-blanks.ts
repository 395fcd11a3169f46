/** Whitespace between two members of JSON that no formatter writes. */
const BLANKS_MAX = 256

/**
 * Finds JSON that runs away into whitespace. The grammars of some engines allow any amount of it
 * between members, and a model can then fill its whole output limit with blanks.
 */
export class JsonBlanks {
  #inString = false
  #escaped = false
  #blanks = 0

  /** Whether the text, which continues what was read before, ends in too much whitespace. */
  runsAway(text: string): boolean {
    for (const character of text) {
      if (this.#inString) this.#readInString(character)
      else if (/\s/.test(character)) this.#blanks += 1
      else {
        this.#blanks = 0
        this.#inString = character === '"'
      }
    }
    return this.#blanks > BLANKS_MAX
  }

  #readInString(character: string): void {
    if (this.#escaped) this.#escaped = false
    else if (character === '\\') this.#escaped = true
    else if (character === '"') this.#inString = false
  }
}
