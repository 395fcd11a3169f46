// What emails are about. `words/` has what they say. Names that people chose are data:
// `write-email.ts` cuts them to one line, and escapes them in HTML.

/** `toContact`: to an address that was entered as a billing contact, of whomever. */
export type Email = EmailFacts & { readonly toContact?: boolean }

type EmailFacts =
  | { readonly kind: 'sign_up'; readonly link: string }
  | { readonly kind: 'reset'; readonly link: string }
  | {
      readonly kind: 'new_address'
      readonly link: string
      /** The present address of the account. */
      readonly account: string
    }
  | { readonly kind: 'sign_up_again'; readonly link: string }
  | { readonly kind: 'old_address'; readonly newAddress: string }
  | { readonly kind: 'password_changed'; readonly link: string }
  | { readonly kind: 'factor_changed'; readonly change: FactorChange; readonly link: string }
  | { readonly kind: 'new_device'; readonly link: string }
  | {
      readonly kind: 'key_revoked'
      readonly name: string
      /** The parts of the key that may be shown. */
      readonly shownAs: string
      readonly link: string
    }
  | { readonly kind: 'account_deleted' }
  | ({ readonly kind: 'domain_missing' } & DomainFacts)
  | ({ readonly kind: 'domain_lost' } & DomainFacts)
  /** Where the audit log was sent. */
  | { readonly kind: 'stream_paused'; readonly receiver: string; readonly link: string }
  | {
      readonly kind: 'provisioned'
      readonly organization: string
      readonly link: string
    }
  | { readonly kind: 'admitted'; readonly link: string }
  | {
      readonly kind: 'platform_role_changed'
      /** Null if the account has none any more. */
      readonly role: string | null
      readonly link: string
    }
  | {
      readonly kind: 'invitation'
      readonly link: string
      readonly organization: string
      readonly role: string
      /** Null if the operator of the service invites. */
      readonly inviter: string | null
    }
  | {
      readonly kind: 'spending_alert_test'
      readonly link: string
      /** Organization or project. */
      readonly name: string
    }
  | {
      readonly kind: 'spending_alert'
      readonly link: string
      /** Organization or project. */
      readonly name: string
      readonly month: string
      readonly threshold: string
      readonly spent: string
    }
  /** The bank wants the owner of the card to confirm: the link leads to the provider's page. */
  | ({ readonly kind: 'top_up_confirm'; readonly amount: string } & TopUpFacts)
  /** The same for billing contacts, who do not get that link. */
  | ({ readonly kind: 'top_up_unconfirmed'; readonly amount: string } & TopUpFacts)
  | ({
      readonly kind: 'top_up_failed'
      readonly amount: string
      /** The provider's word for it. */
      readonly failure: string
    } & TopUpFacts)
  | ({
      readonly kind: 'top_up_paused'
      /** Why, as in the management API. */
      readonly reason: string
      readonly failure: string | null
    } & TopUpFacts)
  | ({
      readonly kind: 'top_up_bound'
      readonly bound: 'day' | 'month'
      /** The most of a month. */
      readonly month: string
    } & TopUpFacts)
  | ({
      readonly kind: 'top_up_card_expires'
      /** Its brand and last four digits. */
      readonly card: string
      readonly month: string
    } & TopUpFacts)
  | {
      readonly kind: 'payment_paid'
      readonly link: string
      /** Of the organization. */
      readonly name: string
      readonly amount: string
      readonly balance: string
    }
  | {
      readonly kind: 'payment_refunded'
      readonly link: string
      /** Of the organization. */
      readonly name: string
      /** With tax. */
      readonly amount: string
      /** By which the balance is lower. */
      readonly net: string
      readonly balance: string
    }
  | {
      readonly kind: 'credit_expires'
      readonly link: string
      /** Of the organization. */
      readonly name: string
      readonly amount: string
      readonly until: string
    }
  | {
      readonly kind: 'invoice_issued'
      /** The page where it can be paid. */
      readonly link: string
      /** Of the organization. */
      readonly name: string
      readonly month: string
      /** With tax. */
      readonly amount: string
      readonly due: string
    }
  | {
      readonly kind: 'invoice_overdue'
      readonly link: string
      readonly name: string
      readonly month: string
      readonly amount: string
      readonly due: string
      /** When requests stop. */
      readonly stops: string
    }
  | {
      readonly kind: 'invoice_paid'
      readonly link: string
      readonly name: string
      readonly month: string
      readonly amount: string
    }
  | {
      readonly kind: 'payment_alert'
      readonly link: string
      readonly alert: PaymentAlert
      /** The organization that it is about; empty if it is about all. */
      readonly about: string
      /** With tax; empty if it is about no amount. */
      readonly amount: string
    }

type TopUpFacts = { readonly organization: string; readonly link: string }

/** What operators are told of payments. */
export type PaymentAlert =
  | 'attention'
  | 'uncredited'
  | 'poll'
  | 'webhook'
  | 'forged'
  | 'declines'
  | 'warning'
  | 'dispute'
  | 'stopped'
  | 'difference'

type DomainFacts = {
  readonly domain: string
  /** The record as it should be: name, type and value. */
  readonly record: string
  readonly link: string
}

/** What happened to the ways to sign in to an account. */
export type FactorChange =
  | 'passkey_added'
  | 'passkey_removed'
  | 'app_added'
  | 'app_removed'
  | 'codes_replaced'
  | 'all_removed'

/** Foreign names in it may have any characters. */
export type Paragraphs = { readonly subject: string; readonly paragraphs: readonly string[] }

/** Everything that emails say in one language. */
export type MailWords = {
  readonly compose: {
    readonly [Kind in Email['kind']]: (message: Extract<Email, { kind: Kind }>) => Paragraphs
  }
  /** Why somebody gets an email. */
  readonly reasons: Readonly<Record<Email['kind'], string>>
  /** Why a billing contact gets one, and who can change that. */
  readonly contactReason: string
  /** What the link of an email does, if it does more than to open the console. */
  readonly buttons: { readonly [Kind in Email['kind']]?: string }
  readonly openConsole: string
  /** The first line, and the last one. */
  readonly from: (host: string) => string
  readonly why: (host: string, reason: string) => string
}

/** The part of a language about automatic top-up. */
export type TopUpWords = {
  readonly compose: Pick<MailWords['compose'], TopUpKind>
  readonly reasons: Pick<MailWords['reasons'], TopUpKind>
  readonly buttons: Pick<MailWords['buttons'], 'top_up_confirm'>
}
type TopUpKind = Extract<Email['kind'], `top_up_${string}`>
/** The part about payments has files of its own. */
export type PaymentEmails = Pick<
  MailWords['compose'],
  | 'payment_paid'
  | 'payment_refunded'
  | 'payment_alert'
  | 'credit_expires'
  | 'invoice_issued'
  | 'invoice_overdue'
  | 'invoice_paid'
>

/** The name cannot end its own quotes. */
export function withoutQuotes(name: string): string {
  return name.replaceAll(/[\p{Pi}\p{Pf}"„‟「」『』]/gu, "'")
}
