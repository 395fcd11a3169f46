import { Braces, Brain, Wrench } from 'lucide-react'
import { playground } from '../../words/playground.ts'
import type { Change } from './desk.tsx'
import { SCHEMA_EXAMPLE, TOOL_EXAMPLE } from './setup/examples.ts'
import type { Talk } from './talk.ts'
import styles from './talk.module.css'

const ICONS = { reasoning: Brain, tool: Wrench, schema: Braces }

/** Nothing was sent yet: three messages that show what a model can do. */
export function Examples({ talk, onChange }: { readonly talk: Talk; readonly onChange: Change }) {
  const choose = ({ kind, text }: (typeof playground.examples)[number]) => {
    talk.change({
      draft: text,
      ...(kind === 'tool' && { tools: [TOOL_EXAMPLE] }),
      ...(kind === 'schema' && { schema: SCHEMA_EXAMPLE }),
    })
    onChange({ format: kind === 'schema' ? 'json_schema' : undefined })
    document.querySelector<HTMLElement>('[data-shows=composer] textarea')?.focus()
  }
  return (
    <div className={`${styles.thread} ${styles.examples}`}>
      <p className="ink-2">{playground.empty}</p>
      <ul>
        {playground.examples.map((example) => {
          const Icon = ICONS[example.kind]
          return (
            <li key={example.kind}>
              <button type="button" className={styles.example} onClick={() => choose(example)}>
                <Icon size={16} aria-hidden />
                <span>
                  <b>{example.name}</b>
                  <span className="ink-2">{example.text}</span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
