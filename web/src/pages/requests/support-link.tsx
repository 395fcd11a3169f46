import { LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { formatInstant } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { Secret } from '../../parts/secret-dialog.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { requestLinks as words } from '../../words/request-links.ts'
import { LinkList, LINKS } from './link-list.tsx'

const DAYS = [1, 7, 30] as const

/** Makes a link that shows this request to whoever has it. */
export function SupportLink({ request }: { readonly request: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <LifeBuoy size={16} aria-hidden /> {words.make}
      </Button>
      {open && <LinkDialog request={request} onClose={() => setOpen(false)} />}
    </>
  )
}

function LinkDialog({
  request,
  onClose,
}: {
  readonly request: string
  readonly onClose: () => void
}) {
  const { path } = useOrganization()
  const [days, setDays] = useState<(typeof DAYS)[number]>(7)
  const making = useSecretChange('POST /organizations/{organization}/requests/{request}/links', [
    LINKS,
  ])
  const { answer, fault } = making
  return (
    <Dialog open wide title={words.title} description={words.text} onClose={onClose}>
      <DialogBody>
        {fault !== null && <FaultNote fault={fault} />}
        {answer === null ? (
          <Select
            label={words.lasts}
            value={String(days)}
            options={DAYS.map((each) => ({ value: String(each), label: words.days(each) }))}
            onChange={(value) => setDays(DAYS.find((each) => String(each) === value) ?? 7)}
          />
        ) : (
          <>
            <Secret value={answer.link} what={words.link} />
            <p className="hint">{words.once(formatInstant(answer.ends_at))}</p>
          </>
        )}
        <LinkList request={request} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.close}</Button>
        {answer === null && (
          <Button
            look="primary"
            busy={making.busy}
            onClick={() => making.make({ path: { ...path, request }, body: { days } })}
          >
            {words.create}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}
