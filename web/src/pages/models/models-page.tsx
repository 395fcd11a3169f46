import { getRouteApi, Link } from '@tanstack/react-router'
import { Box } from 'lucide-react'
import { useCallback } from 'react'
import type { Overview, PlanModel } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount, formatRate } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { SearchField } from '../../parts/filter.tsx'
import { Name } from '../../parts/name.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { present, type SearchChange } from '../../shell/search.ts'
import { models as words } from '../../words/models.ts'
import { capabilitiesIn } from './capabilities.ts'
import { ModelSheet } from './model-sheet.tsx'
import { ModelState } from './model-state.tsx'
import type { ModelsSearch } from './search.ts'
import styles from './models.module.css'

const REFRESH_MS = 10_000
const route = getRouteApi('/app/o/$slug/models')

type Speed = NonNullable<Overview['speed']>[number]

export function ModelsPage() {
  const { path, plan } = useOrganization()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const models = useApi('GET /organizations/{organization}/models', { path }, { every: REFRESH_MS })
  const change = useCallback(
    (part: SearchChange<ModelsSearch>) =>
      void navigate({
        search: (before) => present({ ...before, ...part }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const onSearch = useCallback((q: string | undefined) => change({ q }), [change])
  return (
    <Page title={words.title} sub={words.sub(models.data?.plan ?? plan)}>
      <Loaded reading={models} what={words.title}>
        {({ data }) =>
          data.length === 0 ? (
            <section className="card">
              <Empty icon={<Box size={20} aria-hidden />} title={words.empty}>
                {words.emptyText}
              </Empty>
            </section>
          ) : (
            <>
              <div className="filters">
                <SearchField label={words.search} value={search.q} onSearch={onSearch} />
              </div>
              <ModelTable models={found(data, search.q)} />
              <OpenModel
                model={data.find(({ id }) => id === search.model)}
                onClose={() => change({ model: undefined })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function found(models: readonly PlanModel[], q: string | undefined): readonly PlanModel[] {
  if (q === undefined) return models
  const text = q.toLowerCase()
  return models.filter(({ id, owned_by: owner }) =>
    [id, owner].some((name) => name.toLowerCase().includes(text)),
  )
}

function OpenModel({
  model,
  onClose,
}: {
  readonly model: PlanModel | undefined
  readonly onClose: () => void
}) {
  return model === undefined ? null : <ModelSheet model={model} onClose={onClose} />
}

function columnsOf(models: readonly PlanModel[]): Column[] {
  const currency = models.find(({ prices }) => prices !== null)?.prices?.input.currency
  return [
    { name: words.model },
    { name: words.state },
    { name: words.context, numeric: true },
    { name: words.output, numeric: true, className: 'opt opt-1' },
    { name: words.capabilities, className: 'opt opt-2' },
    { name: words.price(words.input, currency), numeric: true },
    { name: words.price(words.outputPrice, currency), numeric: true },
    { name: words.firstToken, numeric: true, className: 'opt' },
    { name: words.tokensPerSecond, numeric: true, className: 'opt' },
  ]
}

/** One row a model: what people compare, and medians of the organization's own requests. */
function ModelTable({ models }: { readonly models: readonly PlanModel[] }) {
  const { path } = useOrganization()
  const speed = useApi('GET /organizations/{organization}/overview', { path }).data?.speed
  return (
    <section className="card" aria-label={words.title}>
      {models.length === 0 ? (
        <Empty title={words.nothingFound} />
      ) : (
        <Table
          caption={words.title}
          className={`listed ${styles.models}`}
          columns={columnsOf(models)}
        >
          {models.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              speed={speed?.find((each) => each.model === model.id)}
            />
          ))}
        </Table>
      )}
      <div className="card-foot">
        <span className="ink-3">{words.medians}</span>
      </div>
    </section>
  )
}

function ModelRow({
  model,
  speed,
}: {
  readonly model: PlanModel
  readonly speed: Speed | undefined
}) {
  const { id, prices } = model
  return (
    <tr data-row={id}>
      <th scope="row">
        <Link
          from="/o/$slug/models"
          to="."
          search={(before) => ({ ...before, model: id })}
          replace
          resetScroll={false}
        >
          <code>
            <Name value={id} />
          </code>
        </Link>
      </th>
      <td className={styles.state}>
        <ModelState shutdown={model.shutdown_date} availability={model.availability} />
      </td>
      <td className="num" data-label={words.context}>
        {formatCount(model.context_length)}
      </td>
      <td className="num opt opt-1" data-label={words.output}>
        {formatCount(model.max_output_tokens)}
      </td>
      <td className="opt opt-2 ink-2" data-label={words.capabilities}>
        {capabilitiesIn(model)}
      </td>
      <td className="num" data-label={words.input}>
        {prices === null ? words.freeShort : formatAmount(prices.input.amount_micro)}
      </td>
      <td className="num" data-label={words.outputPrice}>
        {prices === null ? words.freeShort : formatAmount(prices.output.amount_micro)}
      </td>
      <td className="num opt" data-label={words.firstToken}>
        {formatDuration(speed?.first_token_ms)}
      </td>
      <td className="num opt" data-label={words.tokensPerSecond}>
        {formatRate(speed?.tokens_per_second)}
      </td>
    </tr>
  )
}
