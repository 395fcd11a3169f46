import { CreditCard } from 'lucide-react'
import { useEffect } from 'react'
import type { SavedCard } from '../../../api/routes.ts'
import { useSecretChange } from '../../../api/use-secret-change.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/page.tsx'
import { FaultNote, Loaded, Skeleton } from '../../../parts/states.tsx'
import { useMayPay } from '../../../shell/payments.ts'
import { useOrganization } from '../../../shell/organization.tsx'
import { addMoney, paymentDetails as words } from '../../../words/payments.ts'
import { brandOf, expiryOf, isExpired } from './card-name.ts'
import { useLeaveToPage } from './use-leave-to-page.ts'
import { usePaymentOptions } from './use-payment-options.ts'
import styles from './payments.module.css'

/** The card that is kept, and the way to all that the provider knows of the organization. */
export function PaymentDetails({ isPrepaid }: { readonly isPrepaid: boolean }) {
  const options = usePaymentOptions()
  const mayPay = useMayPay()
  return (
    <Card title={words.card} foot={mayPay && <Portal />}>
      <Loaded reading={options} what={words.card} skeleton={<Skeleton lines={2} />}>
        {({ card }) => (
          <div className={`card-body row ${styles.kept}`}>
            <CreditCard size={20} aria-hidden />
            {card === null ? (
              <div>
                <p>{words.none}</p>
                <p className="hint">{words.noneText}</p>
              </div>
            ) : (
              <Kept card={card} isCharged={isPrepaid} />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Kept({ card, isCharged }: { readonly card: SavedCard; readonly isCharged: boolean }) {
  const isOld = isExpired(card, Date.now())
  return (
    <div>
      <p>{words.number(brandOf(card), card.last_four)}</p>
      <p className={isOld ? 'warn' : 'hint'}>
        {isOld ? words.expired(expiryOf(card)) : words.expires(expiryOf(card))}
      </p>
      {isCharged && <p className="hint">{words.charged}</p>}
    </div>
  )
}

/** Its address works without signing in, so it is asked for at the press and kept nowhere. */
function Portal() {
  const { path } = useOrganization()
  const opening = useSecretChange('POST /organizations/{organization}/payment-portal', [])
  const { isStrange, leaveTo } = useLeaveToPage()
  const url = opening.answer?.url
  useEffect(() => {
    if (url !== undefined) leaveTo(url)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each answer
  }, [opening.answer])
  return (
    <div className={styles.portal}>
      {opening.fault !== null && <FaultNote fault={opening.fault} />}
      {isStrange && <p role="alert">{addMoney.strangePage}</p>}
      <div className="row">
        <span className="grow">{words.openText}</span>
        <Button size="sm" busy={opening.busy} onClick={() => opening.make({ path })}>
          {words.open}
        </Button>
      </div>
    </div>
  )
}
