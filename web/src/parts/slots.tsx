import { Fragment, type ReactNode } from 'react'

const SLOT = /\{(\w+)\}/

/** A sentence with parts that are more than text, such as a link. A translation may move them. */
export function Slots({
  text,
  parts,
}: {
  /** "I accept the {terms}." */
  readonly text: string
  readonly parts: Readonly<Record<string, ReactNode>>
}) {
  return text
    .split(SLOT)
    .map((piece, at) => <Fragment key={at}>{at % 2 === 1 ? parts[piece] : piece}</Fragment>)
}
