/** A file that an organization or a person exports. */
export type Download = {
  readonly contentType: string
  readonly fileName: string
  /** The organization or the account. */
  readonly ownerId: string
  /** Writes the audit event of the export. Called once, before anything is sent. */
  readonly record: () => Promise<void>
  /** Texts of at most a page of rows each, read when the one before was sent. */
  readonly parts: AsyncIterable<string>
}
