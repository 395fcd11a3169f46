import type { Translated } from '../translated.ts'
import type * as english from '../errors.ts'

export const errors: Translated<typeof english.errors> = {
  unreachable: 'Die Konsole ist nicht erreichbar.',
  answered: (status) => `Der Server hat mit ${status} geantwortet.`,
}

export const byCode: english.ErrorWords = {
  invalid_json: 'Die Anfrage war nicht lesbar.',
  invalid_value: 'Ein Wert wird nicht akzeptiert.',
  unsupported_parameter: 'Der Dienst kennt ein Feld dieses Formulars nicht.',
  unsupported_value: 'Ein Wert wird nicht unterstützt.',
  context_length_exceeded: 'Die Konversation ist zu lang für das Modell.',
  missing_required_parameter: 'Ein Pflichtfeld fehlt.',
  missing_api_key: 'Der API-Schlüssel fehlt.',
  invalid_api_key: 'Der API-Schlüssel ist ungültig.',
  insufficient_balance: 'Guthaben oder Ausgabenlimit sind aufgebraucht.',
  credit_limit_reached: 'Das Kreditlimit der Organisation ist ausgeschöpft.',
  account_restricted: 'Dieses Konto ist gesperrt.',
  platform_access_required: 'Dieses Konto darf den Dienst noch nicht nutzen.',
  onboarding_pending: 'Dieses Konto ist noch nicht freigeschaltet oder nicht registriert.',
  organization_membership_required: 'Sie sind kein Mitglied dieser Organisation.',
  organization_suspended: 'Der Betreiber hat diese Organisation gesperrt.',
  plan_access_denied: 'Der Tarif der Organisation enthält das nicht.',
  network_not_allowed: 'Die Organisation erlaubt keine Aufrufe aus Ihrem Netz.',
  model_not_found: 'Dieses Modell gibt es nicht.',
  headers_too_large: 'Die Header der Anfrage sind zu groß.',
  invalid_management_key: 'Der Management-Schlüssel ist ungültig.',
  invalid_scim_token: 'Das SCIM-Token ist ungültig.',
  malformed_http: 'Die Anfrage war kein gültiges HTTP.',
  unsupported_endpoint: 'Diesen Endpunkt gibt es nicht.',
  unsupported_media_type: 'Dieser Inhaltstyp wird nicht unterstützt.',
  unsupported_method: 'Diese Methode wird hier nicht unterstützt.',
  request_timeout: 'Die Anfrage hat zu lange gedauert.',
  billing_conflict: 'Die Abrechnung der Organisation wird gerade geändert.',
  request_too_large: 'Die Anfrage ist zu groß.',
  rate_limit_exceeded: 'Zu viele Anfragen. Warten Sie einen Moment.',
  internal_error: 'Im Dienst ist ein Fehler aufgetreten.',
  upstream_credentials_rejected: 'Die Engine hat die Zugangsdaten des Dienstes abgelehnt.',
  rate_limit_unavailable: 'Limits lassen sich gerade nicht prüfen. Versuchen Sie es gleich erneut.',
  model_availability_unavailable: 'Das Modell ist gerade nicht erreichbar.',
  infrastructure_rate_limit_exceeded: 'Gerade ist keine Kapazität frei.',
  service_unavailable: 'Der Dienst ist gerade nicht verfügbar.',
  unauthenticated: 'Melden Sie sich zuerst an.',
  invalid_voucher:
    'Dieser Code lässt sich nicht einlösen: vertippt, schon eingelöst, abgelaufen oder widerrufen.',
  invalid_login: 'E-Mail-Adresse, Passwort oder Code sind falsch.',
  second_factor_required: 'Ein zweiter Faktor ist erforderlich.',
  confirmation_required: 'Bestätigen Sie zuerst, dass Sie es sind.',
  role_required: 'Ihre Rolle erlaubt das nicht.',
  scope_required: 'Der Schlüssel hat den Scope dafür nicht.',
  cross_origin: 'Die Anfrage kam von einer anderen Website.',
  not_found: 'Das gibt es nicht, oder Sie haben keinen Zugriff darauf.',
  already_exists: 'Das gibt es schon.',
  already_created: 'Das wurde bereits erstellt.',
  conflict: 'Das ist im jetzigen Zustand nicht möglich.',
  last_owner: 'Eine Organisation braucht einen Eigentümer. Bestimmen Sie zuerst jemand anderen.',
  plan_unknown: 'Der Tarif der Organisation wird nicht mehr angeboten.',
  precondition_failed: 'Jemand hat das inzwischen geändert. Laden Sie es neu.',
  too_many_attempts: 'Zu viele Versuche. Warten Sie einen Moment.',
  too_many_declines:
    'Zu viele Karten wurden abgelehnt. Zahlungen sind einen Tag lang gesperrt. Fragen Sie Ihre ' +
    'Bank, oder schreiben Sie dem Betreiber des Dienstes.',
  not_implemented: 'Das ist hier nicht möglich.',
  change_not_propagated:
    'Die Änderung ist gespeichert, laufende Prozesse kennen sie aber noch nicht. Sie erfahren ' +
    'sie in Kürze.',
}

export const fields: english.FieldWords = {
  required: 'ist erforderlich.',
  empty: 'darf nicht leer sein.',
  form: 'hat die falsche Form.',
  charactersMost: (most) => `darf höchstens ${most} Zeichen haben.`,
  charactersLeast: (least) => `muss mindestens ${least} Zeichen haben.`,
  itemsMost: (most) => `darf höchstens ${most} Einträge haben.`,
  most: (most) => `darf höchstens ${most} sein.`,
  least: (least) => `muss mindestens ${least} sein.`,
  oneOf: (known) => `muss einer dieser Werte sein: ${known}.`,
  email: 'muss eine E-Mail-Adresse sein.',
  amount: 'muss ein Betrag wie 12,50 sein.',
  other: 'wird nicht akzeptiert.',
}
