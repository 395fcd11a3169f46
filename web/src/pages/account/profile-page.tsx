import { useState, type SubmitEvent } from 'react'
import type { Me } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { Copy } from '../../parts/copy.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote, Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { useMe } from '../../shell/session.ts'
import { account } from '../../words/account.ts'
import { everywhere } from '../../words/everywhere.ts'
import { DataCard, DeleteCard } from './leave-cards.tsx'
import styles from './account.module.css'

const words = account.profile

export function ProfilePage() {
  return (
    <Loaded reading={useMe()} what={account.title}>
      {(me) => (
        <>
          <NameCard me={me} />
          <EmailCard me={me} />
          <Facts me={me} />
          <DataCard />
          <DeleteCard me={me} />
        </>
      )}
    </Loaded>
  )
}

function NameCard({ me }: { readonly me: Me }) {
  const [name, setName] = useState(me.name ?? '')
  const change = useChange('PATCH /me', ['GET /me'])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!change.isPending)
      change.mutate({ body: { name: name.trim() } }, { onSuccess: () => say(words.saved) })
  }
  const { error } = change
  return (
    <Card title={words.name}>
      <form className={styles.settingForm} onSubmit={submit} noValidate>
        {error !== null && error.param === null && <FaultNote fault={error} />}
        <TextField
          label={words.name}
          hideLabel
          name="name"
          autoComplete="name"
          hint={words.nameHint}
          value={name}
          error={errorAt(error, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" busy={change.isPending}>
          {everywhere.save}
        </Button>
      </form>
    </Card>
  )
}

function EmailCard({ me }: { readonly me: Me }) {
  const verified = me.email_verified ? (
    <Tag tone="ok">{words.verified}</Tag>
  ) : (
    <Tag tone="warn">{words.unverified}</Tag>
  )
  return (
    <Card title={words.email} end={verified}>
      <div className={styles.setting}>
        <span className="grow">
          <b>{me.email}</b>
          <br />
          {words.emailText}
        </span>
        <DialogButton dialog={(close) => <ChangeEmail onClose={close} />}>
          {words.change}
        </DialogButton>
      </div>
    </Card>
  )
}

function ChangeEmail({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('')
  const ask = useChange('POST /me/email')
  return (
    <ChangeDialog
      title={words.change}
      description={words.changeText}
      noValidate
      submit={words.send}
      change={ask}
      input={{ body: { email: email.trim() } }}
      fields={['email']}
      done={words.sent(email.trim())}
      onClose={onClose}
    >
      <TextField
        label={words.newEmail}
        type="email"
        name="email"
        autoComplete="email"
        autoFocus
        value={email}
        error={errorAt(ask.error, 'email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </ChangeDialog>
  )
}

function Facts({ me }: { readonly me: Me }) {
  const { accepted_version: accepted } = me.terms
  return (
    <Card title={words.facts}>
      <dl className={styles.accountFacts}>
        <dt>{words.id}</dt>
        <dd>
          <Copy value={me.id} what={words.id} />
        </dd>
        <dt>{words.since}</dt>
        <dd>
          <Instant time={me.created_at} />
        </dd>
        <dt>{words.terms}</dt>
        <dd>{accepted === null ? words.none : words.termsVersion(accepted)}</dd>
      </dl>
    </Card>
  )
}
