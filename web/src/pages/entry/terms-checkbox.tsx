import { Checkbox } from '../../parts/field.tsx'
import { Slots } from '../../parts/slots.tsx'
import { entry } from '../../words/entry.ts'

const words = entry.welcome

/** Nothing if the service has no terms. */
export function TermsCheckbox({
  version,
  url,
  accepted,
  error,
  onAccept,
}: {
  readonly version: string | null
  readonly url: string | null
  readonly accepted: boolean
  readonly error: string | undefined
  readonly onAccept: (accepted: boolean) => void
}) {
  if (version === null) return null
  return (
    <>
      <Checkbox
        name="terms"
        checked={accepted}
        onChange={(event) => onAccept(event.currentTarget.checked)}
        label={
          <Slots
            text={words.acceptTerms}
            parts={{
              terms: (
                <a className="link" href={url ?? ''} target="_blank" rel="noopener noreferrer">
                  {words.termsLink(version)}
                </a>
              ),
            }}
          />
        }
      />
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </>
  )
}
