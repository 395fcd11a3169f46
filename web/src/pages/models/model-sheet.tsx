import { Link } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import type { PlanModel } from '../../api/routes.ts'
import { formatAmount, formatCount } from '../../format/number.ts'
import { firstRequest } from '../../format/snippets.ts'
import { formatDate } from '../../format/time.ts'
import { Snippets } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { models as words } from '../../words/models.ts'
import { CAPABILITIES } from './capabilities.ts'
import { ModelState } from './model-state.tsx'

/** Everything about one model at the side of the table, with a request to copy. */
export function ModelSheet({
  model,
  onClose,
}: {
  readonly model: PlanModel
  readonly onClose: () => void
}) {
  const { slug, may } = useOrganization()
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={model.id}
      description={words.ownedBy(model.owned_by)}
    >
      <DialogBody>
        <div className="row wrap">
          <Copy value={model.id} what={words.id} />
          <ModelState shutdown={model.shutdown_date} availability={model.availability} />
        </div>
        <Facts model={model} />
        <Snippets label={words.language} snippets={firstRequest(model.id)} />
      </DialogBody>
      {may('playground:use') && (
        <DialogFoot>
          <Link
            className="btn primary"
            to="/o/$slug/playground"
            params={{ slug }}
            search={{ model: model.id }}
          >
            <SquareTerminal size={14} aria-hidden /> {words.playground}
          </Link>
        </DialogFoot>
      )}
    </Dialog>
  )
}

function Facts({ model }: { readonly model: PlanModel }) {
  const { prices, capabilities, reasoning_efforts: efforts, shutdown_date: date } = model
  const size = (tokens: number | null) =>
    tokens === null ? formatCount(null) : words.tokens(formatCount(tokens))
  return (
    <dl className="lines">
      <Line term={words.context}>{size(model.context_length)}</Line>
      <Line term={words.output}>{size(model.max_output_tokens)}</Line>
      {CAPABILITIES.map((each) => (
        <Line key={each} term={words.capabilityNames[each]} isRule={each === CAPABILITIES[0]}>
          {stateOf(capabilities[each])}
        </Line>
      ))}
      {efforts.length > 0 && <Line term={words.efforts}>{efforts.join(', ')}</Line>}
      {prices === null ? (
        <Line term={words.free} isRule>
          {null}
        </Line>
      ) : (
        <>
          <Line term={words.input} isRule>
            {formatAmount(prices.input.amount_micro)}
          </Line>
          <Line term={words.cached}>{formatAmount(prices.cached_input.amount_micro)}</Line>
          <Line term={words.outputPrice}>{formatAmount(prices.output.amount_micro)}</Line>
          <div>
            <dt className="ink-3 xs">{words.perMillion(prices.input.currency)}</dt>
            <dd />
          </div>
        </>
      )}
      {date !== null && (
        <div>
          <dt className="ink-3 xs">{words.shutdown(formatDate(date, 'UTC'))}</dt>
          <dd />
        </div>
      )}
    </dl>
  )
}

function stateOf(has: boolean | null): string {
  if (has === null) return words.notKnown
  return has ? words.yes : words.no
}

function Line({
  term,
  isRule = false,
  children,
}: {
  readonly term: string
  readonly isRule?: boolean
  readonly children: React.ReactNode
}) {
  return (
    <div className={isRule ? 'rule' : undefined}>
      <dt>{term}</dt>
      <dd className="num">{children}</dd>
    </div>
  )
}
