import { API_ROOT } from '../../../api/place.ts'
import { Snippets, type Snippet } from '../../../parts/code.tsx'
import { playground } from '../../../words/playground.ts'
import { coloured } from '../answer/json-text.tsx'
import type { ChatBody } from '../setup/chat-body.ts'
import { curlOf, pythonOf, typescriptOf } from './snippets.ts'
import styles from './probe.module.css'

export function CodePane({ body, isNext }: { readonly body: ChatBody; readonly isNext: boolean }) {
  return (
    <div className={styles.pane}>
      <p className="ink-3 xs">{isNext ? playground.code.next : playground.code.note}</p>
      <Snippets
        label={playground.code.label}
        snippets={[
          snippetOf('curl', 'curl', curlOf(API_ROOT, body)),
          snippetOf('python', 'Python', pythonOf(API_ROOT, body)),
          snippetOf('typescript', 'TypeScript', typescriptOf(API_ROOT, body)),
        ]}
      />
    </div>
  )
}

function snippetOf(name: string, label: string, text: string): Snippet {
  return { name, label, text, shown: coloured(text) }
}
