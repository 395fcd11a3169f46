import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Fault } from '../../api/fault.ts'
import { Copy } from '../../parts/copy.tsx'
import { useTitle } from '../../parts/page.tsx'
import { ThemeMenu } from '../../shell/account-menu.tsx'
import { LanguageMenu } from '../../shell/language-menu.tsx'
import { Mark } from '../../shell/mark.tsx'
import { Contact } from '../../parts/contact.tsx'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { Waterway } from './waterway.tsx'
import styles from './entry.module.css'

/** The frame of every page before or around being signed in. */
export function Door({
  title,
  sub,
  children,
}: {
  readonly title: string
  readonly sub?: ReactNode
  readonly children?: ReactNode
}) {
  useTitle(title)
  return (
    <div className={styles.door}>
      <div className={styles.doorForm}>
        <header className={styles.lockup}>
          <Mark size={22} />
          <span>{everywhere.product}</span>
        </header>
        <main className={styles.doorCard}>
          <div>
            <h1>{title}</h1>
            {sub !== undefined && <p className="ink-3">{sub}</p>}
          </div>
          {children}
        </main>
        <footer className={styles.doorFoot}>
          <span className="cut">{location.host}</span>
          <Contact />
          <span className="push">
            <LanguageMenu />
            <ThemeMenu />
          </span>
        </footer>
      </div>
      <aside className={styles.doorPlan}>
        <Waterway />
        <p>{entry.waterway.motto}</p>
      </aside>
    </div>
  )
}

/** Why it did not work, above the form. An outage has its request id. */
export function DoorNote({ fault }: { readonly fault: Fault | string | null | undefined }) {
  if (fault === null || fault === undefined) return null
  const text = typeof fault === 'string' ? fault : fault.message
  const id = typeof fault !== 'string' && fault.isOutage ? fault.requestId : null
  return (
    <div className="strip bad" role="alert">
      <CircleAlert size={16} aria-hidden />
      <span className="grow">
        {text}
        {id !== null && (
          <>
            {' '}
            <Copy value={id} what={everywhere.requestId} />
          </>
        )}
      </span>
    </div>
  )
}
