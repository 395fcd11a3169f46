import { useState, type ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { CopyButton } from './copy.tsx'
import { Tabs } from './tabs.tsx'

/** One piece of code with a button that copies it. */
export function Code({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div className="code" data-shows="code">
      <div className="code-copy">
        <CopyButton value={text} what={what} />
      </div>
      <pre tabIndex={0}>
        <code>
          <Coloured text={text} />
        </code>
      </pre>
    </div>
  )
}

export type Snippet = {
  readonly name: string
  readonly label: string
  readonly text: string
  /** The text in colours. */
  readonly shown?: ReactNode
}

/** The same thing in several languages, as tabs. */
export function Snippets({
  label,
  snippets,
}: {
  readonly label: string
  readonly snippets: readonly Snippet[]
}) {
  const [chosen, setChosen] = useState(snippets[0]?.name ?? '')
  const current = snippets.find((snippet) => snippet.name === chosen) ?? snippets[0]
  return (
    <div className="code tabbed" data-shows="code">
      <Tabs
        label={label}
        chosen={chosen}
        onChoose={setChosen}
        tabs={snippets.map(({ name, label: text, text: code, shown }) => ({
          name,
          label: text,
          content: (
            <pre tabIndex={0}>
              <code>{shown ?? <Coloured text={code} />}</code>
            </pre>
          ),
        }))}
      />
      <div className="code-copy">
        <CopyButton value={current?.text ?? ''} what={current?.label ?? everywhere.copy} />
      </div>
    </div>
  )
}

/** Texts in quotes, and the words that begin a statement. */
const PARTS = /("[^"\n]*"|'[^']*'|\b(?:curl|import|from|const|new|await|print)\b)/

/** Code with its texts and keywords in colour. What is copied is the plain text. */
function Coloured({ text }: { readonly text: string }) {
  return text.split(PARTS).map((part, at) => {
    if (at % 2 === 0) return part
    return (
      <span key={at} className={/^["']/.test(part) ? 's' : 'k'}>
        {part}
      </span>
    )
  })
}
