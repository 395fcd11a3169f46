import { FolderOpen } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../../parts/button.tsx'
import { say } from '../../../parts/toast.tsx'
import { playground } from '../../../words/playground.ts'
import type { Opened } from './read-saved.ts'

const MEGABYTE = 1_000_000
/** Longer than any conversation that fits into the context of a model. */
const FILE_MEGABYTES_MAX = 10

const words = playground.file

/** Opens a conversation that "Save as file" saved. The file is read here and sent nowhere. */
export function OpenButton({ onOpen }: { readonly onOpen: (opened: Opened) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > FILE_MEGABYTES_MAX * MEGABYTE) return say(words.tooLarge(FILE_MEGABYTES_MAX))
    const { readSaved } = await import('./read-saved.ts')
    const opened = readSaved(await file.text())
    if (opened === undefined) say(words.notSaved)
    else onOpen(opened)
  }
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={words.open}
        onChange={({ currentTarget: input }) => {
          const [file] = input.files ?? []
          void open(file).catch(() => say(words.notSaved))
          // So that the same file can be chosen again.
          input.value = ''
        }}
      />
      <Button look="ghost" onClick={() => field.current?.click()}>
        <FolderOpen size={14} aria-hidden /> {words.open}
      </Button>
    </>
  )
}
