import { getRouteApi } from '@tanstack/react-router'
import { CircleCheck, CircleX } from 'lucide-react'
import type { Ledger, Reconciliation } from '../../api/routes.ts'
import { HAS_PAYMENTS } from '../../api/place.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { formatCount, formatMoney } from '../../format/number.ts'
import { formatInstant } from '../../format/time.ts'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'
import { ListTable, Table } from '../../parts/table.tsx'
import { Segments } from '../../parts/tabs.tsx'
import { Ago, Instant } from '../../parts/time.tsx'
import { operatorService } from '../../words/operator-service.ts'
import styles from './operator.module.css'
import { ProviderBooks } from './provider-books.tsx'

const words = operatorService.ledger
const route = getRouteApi('/app/operator/ledger')
const EVERY_MS = 15_000
const PAGE = 50

export function LedgerPage() {
  const reading = useApi('GET /operator/ledger', {}, { every: EVERY_MS })
  return (
    <Page title={words.title} sub={words.sub}>
      <div className={styles.stacked}>
        <Loaded reading={reading} what={words.what} skeleton={<LedgerSkeleton />}>
          {(ledger) => (
            <div className={`grid ${styles.sumAndAccounts}`}>
              <Sum ledger={ledger} />
              <OwnAccounts ledger={ledger} />
            </div>
          )}
        </Loaded>
        {HAS_PAYMENTS && <ProviderBooks provider={reading.data?.provider ?? null} />}
        <Reconciliations />
      </div>
    </Page>
  )
}

function LedgerSkeleton() {
  return (
    <div className={`grid ${styles.sumAndAccounts}`}>
      <Card title={words.sum}>
        <Skeleton lines={4} />
      </Card>
      <Card title={words.ownAccounts}>
        <Skeleton lines={10} />
      </Card>
    </div>
  )
}

function Sum({ ledger: { sum, summed_at: at } }: { readonly ledger: Ledger }) {
  const even = sum?.amount_micro === 0
  return (
    <Card title={words.sum}>
      <div className="card-body stack">
        <span className="fig">{formatMoney(sum, 6)}</span>
        {sum === null ? (
          <p className="ink-3">{words.notSummed}</p>
        ) : (
          <p className={even ? 'row' : 'row bad'}>
            {even ? (
              <CircleCheck size={16} className="ok" aria-hidden />
            ) : (
              <CircleX size={16} aria-hidden />
            )}
            {even ? words.sumZero : words.sumOff}
          </p>
        )}
        {at !== null && (
          <p className="xs ink-3">
            {words.summedAt} <Instant time={at} />
          </p>
        )}
      </div>
    </Card>
  )
}

const OWN_COLUMNS = [
  { name: words.account },
  { name: words.debits, numeric: true },
  { name: words.credits, numeric: true },
  { name: words.balance, numeric: true },
]

function OwnAccounts({ ledger }: { readonly ledger: Ledger }) {
  return (
    <Card title={words.ownAccounts}>
      <Table
        caption={words.ownAccountsCaption}
        className="dense listed labelled"
        columns={OWN_COLUMNS}
      >
        {ledger.accounts.map(({ id, debits, credits, balance }) => (
          <tr key={id}>
            <th scope="row">{words.accounts[id]}</th>
            <td className="num" data-label={words.debits}>
              {formatMoney(debits)}
            </td>
            <td className="num" data-label={words.credits}>
              {formatMoney(credits)}
            </td>
            <td className="num medium" data-label={words.balance}>
              {formatMoney(balance)}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

const COLUMNS = [
  { name: words.hour },
  { name: words.source },
  { name: words.ledger, numeric: true, className: 'opt-2' },
  { name: words.counted, numeric: true, className: 'opt-2' },
  { name: words.difference, numeric: true },
  { name: words.checked },
]

function Reconciliations() {
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const differing = show === 'differing'
  const list = useList('GET /operator/reconciliations', {
    query: { limit: PAGE, ...(differing && { differing }) },
  })
  return (
    <Card
      title={words.reconciliations}
      end={
        <Segments
          label={words.show}
          options={[
            { value: 'all', label: words.all },
            { value: 'differing', label: words.differing },
          ]}
          chosen={differing ? 'differing' : 'all'}
          onChoose={(value) =>
            void navigate({ search: value === 'all' ? {} : { show: value }, replace: true })
          }
        />
      }
    >
      <ListTable
        caption={words.reconciliationsCaption}
        what={words.reconciliations}
        columns={COLUMNS}
        list={list}
        row={(item) => <Row key={`${item.hour} ${item.source} ${item.name}`} item={item} />}
        empty={
          differing ? (
            <Empty title={words.noneDiffer} />
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
    </Card>
  )
}

function tokensOf({
  prompt_tokens: prompt,
  completion_tokens: completion,
}: Reconciliation['ledger']) {
  return formatCount((prompt ?? 0) + completion)
}

function Row({ item }: { readonly item: Reconciliation }) {
  return (
    <tr>
      <th scope="row">{formatInstant(item.hour, 'UTC')}</th>
      <td>
        {words.sources[item.source]} <span className="ink-3">{item.name}</span>
      </td>
      <td className="num opt opt-2">{tokensOf(item.ledger)}</td>
      <td className="num opt opt-2">{tokensOf(item.counted)}</td>
      <td className={item.difference === 0 ? 'num' : 'num bad medium'}>
        {formatCount(item.difference)}
      </td>
      <td className="ink-3 xs-n">
        <Ago time={item.checked_at} />
      </td>
    </tr>
  )
}
