import { useState } from 'react'
import type { SignInRules } from '../../api/routes.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { Checkbox, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { rules as words } from '../../words/sign-in-rules.ts'
import { AllowedNetworks } from './allowed-networks.tsx'
import { AskedForm } from './asked-form.tsx'
import { Connections } from './connections.tsx'
import { Domains } from './domains.tsx'
import { GroupRoles } from './group-roles.tsx'
import { Provisioning } from './provisioning.tsx'

/** 30 days, the most that the service accepts. */
const SESSION_HOURS_MAX = 720

/**
 * How members sign in. Reading it needs a fresh confirmation of identity, so that it is read once,
 * not again by itself, and the rest only after the first answer.
 */
export function SignInRulesPage() {
  const { path } = useOrganization()
  const reading = useApi(
    'GET /organizations/{organization}/sign-in',
    { path },
    { freshFor: Infinity },
  )
  return (
    <Loaded reading={reading} what={words.card}>
      {(rules) => (
        <div className="grid">
          <Connections />
          <div className="grid two even">
            <div className="grid">
              <Domains />
              <AllowedNetworks />
            </div>
            <Rules key={JSON.stringify(rules)} rules={rules} />
          </div>
          <div className="grid two even">
            <Provisioning />
            <GroupRoles />
          </div>
        </div>
      )}
    </Loaded>
  )
}

function Rules({ rules }: { readonly rules: SignInRules }) {
  const { path } = useOrganization()
  const [wanted, setWanted] = useState(rules)
  const change = useChange('PUT /organizations/{organization}/sign-in', [
    'GET /organizations/{organization}/sign-in',
  ])
  const isSame =
    wanted.sso_only === rules.sso_only &&
    wanted.second_factor_required === rules.second_factor_required &&
    hoursOf(wanted) === hoursOf(rules)
  return (
    <Card title={words.card}>
      <AskedForm
        words={words}
        consequence={consequencesOf(rules, wanted).join(' ')}
        change={change}
        input={{ path, body: wanted }}
        isSame={isSame}
      >
        <RuleBoxes wanted={wanted} onChange={setWanted} />
      </AskedForm>
    </Card>
  )
}

/** Null if members' sessions last as long as the service allows. */
function hoursOf({ session_hours: hours }: SignInRules): number | null {
  return hours ?? null
}

function RuleBoxes({
  wanted,
  onChange,
}: {
  readonly wanted: SignInRules
  readonly onChange: (rules: SignInRules) => void
}) {
  return (
    <>
      <Checkbox
        checked={wanted.sso_only}
        onChange={(event) => onChange({ ...wanted, sso_only: event.currentTarget.checked })}
        label={
          <>
            {words.ssoOnly}
            <span className="hint block">{words.ssoOnlyText}</span>
          </>
        }
      />
      <Checkbox
        checked={wanted.second_factor_required}
        onChange={(event) =>
          onChange({ ...wanted, second_factor_required: event.currentTarget.checked })
        }
        label={
          <>
            {words.secondFactor}
            <span className="hint block">{words.secondFactorText}</span>
          </>
        }
      />
      <TextField
        label={words.sessionHours}
        hint={words.sessionHoursText}
        optional
        type="number"
        min={1}
        max={SESSION_HOURS_MAX}
        step={1}
        value={hoursOf(wanted) ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...wanted, session_hours: value === '' ? null : Number(value) })
        }
      />
    </>
  )
}

function consequencesOf(before: SignInRules, after: SignInRules): string[] {
  const { consequences } = words
  return [
    ...(before.sso_only === after.sso_only
      ? []
      : [after.sso_only ? consequences.ssoOnly : consequences.noSsoOnly]),
    ...(before.second_factor_required === after.second_factor_required
      ? []
      : [after.second_factor_required ? consequences.secondFactor : consequences.noSecondFactor]),
    ...(hoursOf(before) === hoursOf(after) ? [] : [consequences.sessionHours(hoursOf(after))]),
  ]
}
