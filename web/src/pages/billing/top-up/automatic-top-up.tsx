import { CircleAlert } from 'lucide-react'
import { HAS_PAYMENTS } from '../../../api/place.ts'
import type { AutomaticTopUp as TopUp, Money } from '../../../api/routes.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { formatAmount, formatMoney } from '../../../format/number.ts'
import { formatInstant } from '../../../format/time.ts'
import { Ask } from '../../../parts/ask.tsx'
import { Button } from '../../../parts/button.tsx'
import { DialogButton } from '../../../parts/dialog-button.tsx'
import { Card } from '../../../parts/page.tsx'
import { SpentBar } from '../../../parts/spent.tsx'
import { FaultNote, Loaded, Skeleton } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { useOrganization } from '../../../shell/organization.tsx'
import { topUp as words } from '../../../words/automatic-top-up.ts'
import { TopUpDialog } from './top-up-dialog.tsx'
import { TOP_UP } from './top-up-route.ts'

const EVERY_MS = 15_000

/** Null where it is not shown. */
export function useTopUp() {
  const { path, may } = useOrganization()
  const isShown = HAS_PAYMENTS && may('payments:read')
  const reading = useApi(TOP_UP, { path }, { every: EVERY_MS, enabled: isShown })
  return isShown ? reading : null
}

/** Off, on with its three numbers and what this month used, or paused with one button. */
export function AutomaticTopUp() {
  const { may } = useOrganization()
  const reading = useTopUp()
  if (reading === null) return null
  const { data } = reading
  return (
    <Card
      title={words.card}
      meta={words.meta}
      end={data !== undefined && may('automatic-top-up:write') && <Buttons topUp={data} />}
    >
      <Loaded reading={reading} what={words.card} skeleton={<Skeleton lines={2} />}>
        {(topUp) => <State topUp={topUp} />}
      </Loaded>
    </Card>
  )
}

function Buttons({ topUp }: { readonly topUp: TopUp }) {
  const change = (close: () => void) => <TopUpDialog topUp={topUp} onClose={close} />
  if (topUp.state === 'on')
    return (
      <span className="row tight">
        <DialogButton size="sm" dialog={change}>
          {words.change}
        </DialogButton>
        <DialogButton size="sm" look="danger-quiet" dialog={(close) => <TurnOff onClose={close} />}>
          {words.turnOff}
        </DialogButton>
      </span>
    )
  if (topUp.state === 'paused' || !topUp.has_card) return null
  return (
    <DialogButton size="sm" dialog={change}>
      {words.turnOn}
    </DialogButton>
  )
}

function State({ topUp }: { readonly topUp: TopUp }) {
  const { may } = useOrganization()
  if (topUp.state !== 'off')
    return (
      <>
        {topUp.paused !== null && <Paused reason={topUp.paused} />}
        {topUp.state === 'on' && <Waits topUp={topUp} />}
        <Numbers topUp={topUp} />
      </>
    )
  if (!topUp.has_card) return <p className="card-body ink-3">{words.noCard}</p>
  return (
    <p className="card-body ink-3">
      {words.off} {!may('automatic-top-up:write') && words.ownersOnly}
    </p>
  )
}

function Paused({ reason }: { readonly reason: NonNullable<TopUp['paused']> }) {
  const { path, may } = useOrganization()
  const resuming = useChange('POST /organizations/{organization}/automatic-top-up/resume', [TOP_UP])
  return (
    <div className="card-body">
      <div className="strip bad" role="alert">
        <CircleAlert size={16} aria-hidden />
        <span className="grow">
          <b>{words.paused[reason]}</b> {words.pausedText}
        </span>
        {may('automatic-top-up:write') && (
          <Button
            size="sm"
            busy={resuming.isPending}
            onClick={() => resuming.mutate({ path }, { onSuccess: () => say(words.resumed) })}
          >
            {words.resume}
          </Button>
        )}
      </div>
      {resuming.error !== null && <FaultNote fault={resuming.error} />}
    </div>
  )
}

/** What holds up the next charge, though nobody has to do anything. */
function Waits({ topUp }: { readonly topUp: TopUp }) {
  const { bound, next_attempt_at: next, day_max: times } = topUp
  const text =
    (bound === 'day' && words.bounds.day(times)) ||
    (bound === 'month' && words.bounds.month) ||
    (next !== null && words.waits(formatInstant(next)))
  if (text === false) return null
  return (
    <div className="card-body">
      <p className="strip warn" role="status">
        {text}
      </p>
    </div>
  )
}

function Numbers({ topUp }: { readonly topUp: TopUp }) {
  const { threshold, amount, month_max: most, month_used: used, charge_max: chargeMost } = topUp
  return (
    <dl className="figures">
      <div>
        <dt className="fig-label">{words.below}</dt>
        <Figure money={threshold} />
      </div>
      <div>
        <dt className="fig-label">{words.adds}</dt>
        <Figure money={amount} />
        <dd>
          <p>{words.addsText(formatMoney(chargeMost))}</p>
        </dd>
      </div>
      <div>
        <dt className="fig-label">{words.month}</dt>
        <Figure money={used} />
        <dd>
          <p>{words.ofMonth(formatMoney(most))}</p>
          {most !== null && (
            <SpentBar label={words.monthMeter} spent={used.amount_micro} limit={most} />
          )}
        </dd>
      </div>
    </dl>
  )
}

function Figure({ money }: { readonly money: Money | null }) {
  return (
    <dd className="fig">
      {formatAmount(money?.amount_micro)} <small>{money?.currency}</small>
    </dd>
  )
}

function TurnOff({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const saving = useChange('PUT /organizations/{organization}/automatic-top-up', [TOP_UP])
  return (
    <Ask
      title={words.turnOffTitle}
      text={words.turnOffText}
      button={words.turnOff}
      change={saving}
      input={{ path, body: { enabled: false } }}
      done={words.turnedOff}
      onClose={onClose}
    />
  )
}
