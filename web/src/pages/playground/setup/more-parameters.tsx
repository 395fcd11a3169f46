import { ChevronDown } from 'lucide-react'
import { STOP_SEQUENCES_MAX } from '../../../../../src/contract/chat-bounds.ts'
import { Select, TextArea } from '../../../parts/field.tsx'
import { playground } from '../../../words/playground.ts'
import { NumberParameter } from './number-parameter.tsx'
import { readStop } from './parameters.ts'
import type { SetupProps } from './settings-panel.tsx'
import styles from './setup.module.css'

const words = playground.setup
const NAMES = ['top_p', 'frequency_penalty', 'presence_penalty', 'seed'] as const

/** The other parameters of the API, folded; the line says how many are set. */
export function MoreParameters({ search, onChange }: Pick<SetupProps, 'search' | 'onChange'>) {
  const all = [...NAMES, 'stop', 'parallel_tool_calls'] as const
  const count = all.filter((name) => search[name] !== undefined).length
  return (
    <details className={styles.more}>
      <summary className={styles.fold}>
        <span>{words.more}</span>
        <span className="ink-3">{words.set(count)}</span>
        <ChevronDown size={16} aria-hidden />
      </summary>
      <div className={styles.moreBody}>
        {NAMES.map((name) => (
          <NumberParameter
            key={name}
            name={name}
            label={words[name]}
            value={search[name]}
            onChange={(text) => onChange({ [name]: text })}
          />
        ))}
        <TextArea
          label={words.stop}
          hint={words.stopHint}
          rows={2}
          value={search.stop ?? ''}
          {...(readStop(search.stop) === null && { error: words.stopMany(STOP_SEQUENCES_MAX) })}
          onChange={({ currentTarget }) =>
            onChange({ stop: currentTarget.value === '' ? undefined : currentTarget.value })
          }
        />
        <Select
          label={words.parallel}
          value={search.parallel_tool_calls ?? ''}
          options={[
            { value: '', label: words.modelDefault },
            { value: 'true', label: words.yes },
            { value: 'false', label: words.no },
          ]}
          onChange={(value) => onChange({ parallel_tool_calls: value === '' ? undefined : value })}
        />
      </div>
    </details>
  )
}
