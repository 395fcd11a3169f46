import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Me, Registration } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { errorAt, TextField } from '../../parts/field.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Segments } from '../../parts/tabs.tsx'
import { useOwnOrganizations } from '../../shell/organization.tsx'
import { forgetEverything, useMe } from '../../shell/session.ts'
import { CHOSEN_LANGUAGE } from '../../shell/language.ts'
import { entry } from '../../words/entry.ts'
import { shell } from '../../words/shell.ts'
import { finished, NO_ORGANIZATION, OrganizationFields } from '../account/organization-fields.tsx'
import { Door } from './door.tsx'
import { DoorForm } from './door-form.tsx'
import { takeToken } from './link-token.ts'
import { TermsCheckbox } from './terms-checkbox.tsx'

const words = entry.welcome

export function WelcomePage() {
  const me = useMe()
  const navigate = useNavigate()
  const isDone = me.data?.registered === true || me.data?.state === 'waiting'
  useEffect(() => {
    if (isDone) void navigate({ to: '/', replace: true })
  }, [isDone, navigate])
  return (
    <Door title={words.title} sub={words.text}>
      <Loaded reading={me} what={shell.account}>
        {(person) => <RegistrationForm me={person} />}
      </Loaded>
    </Door>
  )
}

type Choice = 'create' | 'invited'

/** Three fields: name, terms, organization. */
function RegistrationForm({ me }: { readonly me: Me }) {
  const own = useOwnOrganizations().data?.data ?? []
  const [name, setName] = useState(me.name ?? '')
  const [accepted, setAccepted] = useState(false)
  const [choice, setChoice] = useState<Choice>('create')
  const [draft, setDraft] = useState(NO_ORGANIZATION)
  const creates = own.length === 0 && me.may_create_organizations && choice === 'create'
  const register = useChange('POST /me/registration')
  const goOn = useFirstPage()
  const submit = () => {
    const { version } = me.terms
    const body: Registration = {
      name: name.trim(),
      ...CHOSEN_LANGUAGE,
      ...(version !== null && accepted && { terms_version: version }),
      ...(creates && { organization: finished(draft) }),
    }
    register.mutate({ body }, { onSuccess: () => goOn(body.organization?.slug) })
  }
  const { error } = register
  return (
    <DoorForm
      asking={register}
      fields={['name', 'terms_version', ...(creates ? ['organization', 'already_exists'] : [])]}
      submit={words.submit}
      onSubmit={submit}
    >
      <TextField
        large
        label={words.name}
        name="name"
        autoComplete="name"
        autoFocus
        hint={words.nameHint}
        value={name}
        error={errorAt(error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {own.length > 0 ? (
        <p className="ink-3">{words.memberOf(own.map((known) => known.name).join(', '))}</p>
      ) : (
        <OrganizationChoice
          mayCreate={me.may_create_organizations}
          choice={choice}
          onChoose={setChoice}
        />
      )}
      {creates && (
        <OrganizationFields
          large
          draft={draft}
          onChange={setDraft}
          fault={error}
          param="organization."
        />
      )}
      <TermsCheckbox
        {...me.terms}
        accepted={accepted}
        error={errorAt(error, 'terms_version')}
        onAccept={setAccepted}
      />
    </DoorForm>
  )
}

function OrganizationChoice({
  mayCreate,
  choice,
  onChoose,
}: {
  readonly mayCreate: boolean
  readonly choice: Choice
  readonly onChoose: (choice: Choice) => void
}) {
  if (!mayCreate) return <p className="ink-3">{words.onlyInvited}</p>
  return (
    <div className="field">
      <span className="label">{words.organization}</span>
      <Segments
        label={words.organization}
        block
        chosen={choice}
        onChoose={onChoose}
        options={[
          { value: 'create', label: words.create },
          { value: 'invited', label: words.invited },
        ]}
      />
      {choice === 'invited' && <p className="hint">{words.invitedText}</p>}
    </div>
  )
}

/** A new organization begins with its first key; an invitation that is held comes before all. */
function useFirstPage(): (slug: string | undefined) => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (slug) => {
    forgetEverything(queries)
    if (slug !== undefined)
      void navigate({ to: '/o/$slug/keys', params: { slug }, search: { create: 'first' } })
    else void navigate({ to: takeToken('join') === undefined ? '/' : '/join' })
  }
}
