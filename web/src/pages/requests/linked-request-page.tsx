import { Link, useLocation } from '@tanstack/react-router'
import type { LinkedRequest } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatInstant } from '../../format/time.ts'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { ThemeMenu } from '../../shell/account-menu.tsx'
import { Mark } from '../../shell/mark.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { request as requestWords } from '../../words/request.ts'
import { requestLinks } from '../../words/request-links.ts'
import { titleOf } from './explain.ts'
import { StatusTag } from './outcome-tag.tsx'
import { RequestExplanation } from './request-explanation.tsx'
import styles from './requests.module.css'

const words = requestLinks.page

/** A request for whoever has a link to it. The token stays in the address, to load it again. */
export function LinkedRequestPage() {
  const { hash } = useLocation()
  const token = new URLSearchParams(hash).get('token') ?? ''
  const reading = useApi(
    'POST /request-links/open',
    { body: { token } },
    { enabled: token !== '', freshFor: Infinity },
  )
  const { data, error } = reading
  const gone = token === '' || (data === undefined && error?.code === 'not_found')
  return (
    <>
      <header className={styles.linkedHead}>
        <Mark size={20} />
        <span className="grow">{everywhere.product}</span>
        <ThemeMenu />
      </header>
      <main>
        {gone ? (
          <Page title={words.loading}>
            <section className="card">
              <Empty
                title={words.goneTitle}
                action={
                  <Link className="btn" to="/">
                    {words.toConsole}
                  </Link>
                }
              >
                {words.goneText}
              </Empty>
            </section>
          </Page>
        ) : (
          <Page
            title={data === undefined ? words.loading : titleOf(data)}
            badge={data !== undefined && <StatusTag request={data} />}
            sub={
              data !== undefined &&
              `${words.of(data.organization, formatInstant(data.link_ends_at))} ${words.noContent}`
            }
          >
            <Loaded reading={reading} what={words.loading}>
              {(request) => (
                <RequestExplanation
                  request={request}
                  by={sentBy(request)}
                  facts={[[requestWords.facts.key, keyOf(request)]]}
                />
              )}
            </Loaded>
          </Page>
        )}
      </main>
    </>
  )
}

function sentBy({ key: { kind, last4 } }: LinkedRequest): string {
  if (kind === 'playground') return words.byPlayground
  return last4 === null ? words.byUnknown : words.byKey(last4)
}

function keyOf({ key: { kind, last4 } }: LinkedRequest): string {
  if (kind === 'playground') return requestWords.facts.playground
  return last4 === null ? requestWords.facts.unknownKey : words.key(last4)
}
