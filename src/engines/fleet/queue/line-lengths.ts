/** A line of waiting entries; the index sets its place among those of the same length. */
export type Measured = { readonly entries: readonly unknown[]; lengthPlace: number }

/** Lines by their length, so that the longest is known in constant time. */
export class LineLengths<Line extends Measured> {
  readonly #byLength: Line[][] = []

  get longest(): Line | undefined {
    return this.#byLength.at(-1)?.[0]
  }

  /** The line had another length before. */
  changed(line: Line, before: number): void {
    const last = this.#byLength[before]?.pop()
    if (before > 0 && last !== undefined && last !== line) {
      this.#byLength[before]?.splice(line.lengthPlace, 1, last)
      last.lengthPlace = line.lengthPlace
    }
    const { length } = line.entries
    if (length > 0) {
      while (this.#byLength.length <= length) this.#byLength.push([])
      line.lengthPlace = (this.#byLength[length]?.push(line) ?? 0) - 1
    }
    while (this.#byLength.at(-1)?.length === 0) this.#byLength.pop()
  }
}
