import { StopStrings } from './stop-strings.ts'
import type { Piece } from '../piece.ts'

/** A piece that was not sent yet and may still be changed. */
type OwnPiece = Piece extends infer Each ? { -readonly [Key in keyof Each]: Each[Key] } : never
type TextPiece = Extract<Piece, { text: string }>

/** Collects the pieces of the next batch, and limits the characters of the whole stream. */
export class PieceOutput {
  /** Whether the bytes of the output are counted. */
  isMeasured = false
  bytes = 0
  reasoningBytes = 0
  #pieces: OwnPiece[] | undefined
  #characters = 0
  /** Whitespace at the start of a text, sent only if other text follows. */
  #heldBlanks = ''
  #inText = false
  /** Whether the last piece that was sent is reasoning. */
  #reasoned = false
  readonly #charactersMax: number
  readonly #tooMany: () => Error
  /** Undefined if the answer may contain any text. */
  readonly #stop: StopStrings | undefined

  constructor(charactersMax: number, stopStrings: readonly string[], tooMany: () => Error) {
    this.#charactersMax = charactersMax
    this.#tooMany = tooMany
    this.#stop = stopStrings.length === 0 ? undefined : new StopStrings(stopStrings)
  }

  /** Whether the answer ends here, because it came to a string at which it is to stop. */
  get isStopped(): boolean {
    return this.#stop?.isReached === true
  }

  take(): readonly Piece[] | undefined {
    const pieces = this.#pieces
    this.#pieces = undefined
    return pieces
  }

  add(piece: OwnPiece): void {
    // Most batches have one piece, for which an array that grows has far too much room.
    if (this.#pieces === undefined) this.#pieces = [piece]
    else this.#pieces.push(piece)
  }

  /** Merges a piece with the previous one if it continues its text or arguments. */
  push(piece: Piece): void {
    if ('text' in piece) this.count(piece.text.length)
    if (this.isMeasured && 'text' in piece) this.#measure(piece)
    this.#reasoned = piece.type === 'reasoning'
    const last = this.#pieces?.at(-1)
    if (last !== undefined && 'text' in last && 'text' in piece && continues(last, piece))
      last.text += piece.text
    else this.add(piece)
  }

  /**
   * Engines send the blanks between reasoning, tool calls and the answer as text. Newlines after
   * reasoning are dropped, and so are blanks before and after tool calls.
   */
  pushText(text: string): void {
    if (!this.#inText && text.trim() === '') {
      this.count(text.length)
      this.#heldBlanks += text
      return
    }
    const held = this.#heldBlanks
    this.#heldBlanks = ''
    this.count(-held.length)
    this.#sendText(held + text)
  }

  /** Ends the text, without the blanks after it. */
  endText(): void {
    this.#heldBlanks = ''
    this.#inText = false
    const held = this.#stop?.release() ?? ''
    if (held !== '') this.push({ type: 'text', text: held })
  }

  /** Sends blanks that are the whole answer. */
  pushBlanks(): void {
    const held = this.#heldBlanks
    this.#heldBlanks = ''
    this.count(-held.length)
    if (held !== '') this.#sendText(held)
  }

  #sendText(text: string): void {
    const begun = this.#inText || !this.#reasoned ? text : text.replace(/^\n+/, '')
    this.#inText = true
    const passed = this.#stop === undefined ? begun : this.#stop.pass(begun)
    if (passed !== '') this.push({ type: 'text', text: passed })
  }

  #measure(piece: TextPiece): void {
    const bytes = Buffer.byteLength(piece.text)
    this.bytes += bytes
    if (piece.type === 'reasoning') this.reasoningBytes += bytes
  }

  count(characters: number): void {
    this.#characters += characters
    if (this.#characters > this.#charactersMax) throw this.#tooMany()
  }
}

function continues(last: TextPiece, piece: TextPiece): boolean {
  if (piece.type !== 'arguments') return last.type === piece.type && piece.type !== 'tool-call'
  const ofCall = last.type === 'arguments' || last.type === 'tool-call'
  return ofCall && last.index === piece.index
}
