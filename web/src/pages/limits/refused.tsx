import { useState } from 'react'
import type { LimitsNow } from '../../api/use-live-limits.ts'
import { Code } from '../../parts/code.tsx'
import { Card } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { limits as words } from '../../words/limits.ts'
import { paymentRequired, tooManyRequests } from './answer-samples.ts'
import styles from './limits.module.css'

type Kind = 'too-many' | 'no-funds'

/** What a program sees when it is refused, with the figures of now. */
export function Refused({ now }: { readonly now: LimitsNow }) {
  const [chosen, setChosen] = useState<Kind>('too-many')
  return (
    <Card title={words.refusals} meta={words.refusalsMeta}>
      <div className={styles.answers}>
        <Tabs<Kind>
          label={words.answers}
          chosen={chosen}
          onChoose={setChosen}
          panelClass={styles.answer}
          tabs={[
            {
              name: 'too-many',
              label: words.tooMany,
              content: (
                <>
                  <p className="ink-3">{words.tooManyText}</p>
                  {now.known ? (
                    <Code text={tooManyRequests(now.limits)} what={words.tooMany} />
                  ) : (
                    now.isLoading && <Skeleton lines={6} />
                  )}
                </>
              ),
            },
            {
              name: 'no-funds',
              label: words.noFunds,
              content: (
                <>
                  <p className="ink-3">{words.noFundsText}</p>
                  <Code text={paymentRequired()} what={words.noFunds} />
                </>
              ),
            },
          ]}
        />
      </div>
    </Card>
  )
}
