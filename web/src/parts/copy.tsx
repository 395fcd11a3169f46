import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Button, IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

const SAID_MS = 2000

function useCopy(value: string): { readonly copied: boolean; readonly copy: () => void } {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return {
    copied,
    // If it is refused, the text is there to be selected.
    copy: () => void copyText(value).then(setCopied),
  }
}

/** An id or a name in full, with a button that copies it. */
export function Copy({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className="id" data-shows="id">
      {value}
      <CopyButton value={value} what={what} />
    </span>
  )
}

const END = 8

/** The end of an id, which tells ids apart. All of it is copied and is the title. */
export function ShortId({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <span className="id short" title={value}>
      <code className="xs">{value.slice(-END)}</code>
      <CopyButton value={value} what={what} />
    </span>
  )
}

export function CopyButton({
  value,
  what,
  label,
  primary,
}: {
  readonly value: string
  /** For the screen reader: "Copy request id". */
  readonly what: string
  /** Shows words beside the icon. */
  readonly label?: string
  readonly primary?: boolean
}) {
  const { copied, copy } = useCopy(value)
  const icon = copied ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />
  if (label === undefined)
    return (
      <IconButton label={copied ? everywhere.copied : everywhere.copyWhat(what)} onClick={copy}>
        {icon}
      </IconButton>
    )
  return (
    <Button look={primary === true ? 'primary' : 'plain'} size="sm" onClick={copy}>
      {icon} {copied ? everywhere.copied : label}
    </Button>
  )
}
