import { withoutQuotes, type FactorChange, type MailWords } from '../emails.ts'
import { topUp } from './top-up/german.ts'
import { germanPayments } from './german-payments.ts'

const ONCE = 'Der Link funktioniert einmal, innerhalb von 24 Stunden.'
const NOT_YOU = 'Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Es ändert sich nichts.'

const FACTOR_CHANGES: Readonly<Record<FactorChange, string>> = {
  passkey_added: 'Ihrem Konto wurde ein Passkey hinzugefügt',
  passkey_removed: 'Ein Passkey wurde aus Ihrem Konto entfernt',
  app_added: 'Ihrem Konto wurde eine Authenticator-App hinzugefügt',
  app_removed: 'Die Authenticator-App wurde aus Ihrem Konto entfernt',
  codes_replaced: 'Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt',
  all_removed: 'Passkeys und Authenticator-App wurden aus Ihrem Konto entfernt',
}

const ROLES: Readonly<Record<string, string>> = {
  owner: 'Eigentümer',
  admin: 'Admin',
  member: 'Mitglied',
  viewer: 'Betrachter',
  operator: 'Betreiber',
  support: 'Support',
}

const compose: MailWords['compose'] = {
  ...topUp.compose,
  sign_up: (message) => ({
    subject: 'E-Mail-Adresse bestätigen',
    paragraphs: [
      'Öffnen Sie diesen Link, um Ihre E-Mail-Adresse zu bestätigen und ein Passwort zu wählen:',
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  sign_up_again: (message) => ({
    subject: 'Sie haben bereits ein Konto',
    paragraphs: [
      'Jemand wollte sich mit Ihrer E-Mail-Adresse registrieren. Sie haben bereits ein Konto:',
      message.link,
      NOT_YOU,
    ],
  }),
  reset: (message) => ({
    subject: 'Neues Passwort setzen',
    paragraphs: [
      'Öffnen Sie diesen Link, um ein neues Passwort zu setzen:',
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  password_changed: (message) => ({
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: [
      'Das Passwort Ihres Kontos wurde geändert, alle anderen Sitzungen wurden beendet.',
      'Falls Sie das nicht waren, setzen Sie sofort ein neues Passwort:',
      message.link,
    ],
  }),
  new_address: (message) => ({
    subject: 'Neue E-Mail-Adresse bestätigen',
    paragraphs: [
      `Für das Konto ${message.account} soll künftig diese Adresse gelten. Falls Sie das sind, ` +
        'öffnen Sie diesen Link:',
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  old_address: (message) => ({
    subject: 'Ihre E-Mail-Adresse wird geändert',
    paragraphs: [
      `Jemand, der in Ihrem Konto angemeldet ist, ändert dessen Adresse in ${message.newAddress}.`,
      'Falls Sie das nicht waren, ändern Sie sofort Ihr Passwort: Das bricht auch diese ' +
        'Änderung ab.',
    ],
  }),
  factor_changed: (message) => ({
    subject: FACTOR_CHANGES[message.change],
    paragraphs: [
      `${FACTOR_CHANGES[message.change]}.`,
      'Falls Sie das nicht waren, setzen Sie sofort ein neues Passwort. Entfernen Sie dann jeden ' +
        'Passkey und jede App, die Sie nicht kennen:',
      message.link,
    ],
  }),
  new_device: (message) => ({
    subject: 'Anmeldung mit einem neuen Gerät',
    paragraphs: [
      'In Ihrem Konto hat sich jemand mit einem Browser angemeldet, der dafür noch nie benutzt ' +
        'wurde.',
      'Falls Sie das nicht waren, setzen Sie sofort ein neues Passwort. Prüfen Sie dann ' +
        'Sitzungen, Passkeys und Apps:',
      message.link,
    ],
  }),
  key_revoked: (message) => ({
    subject: 'Ein Schlüssel wurde widerrufen, weil sein Geheimnis gefunden wurde',
    paragraphs: [
      `Jemand hat das Geheimnis des Schlüssels ${quoted(message.name)} (${message.shownAs}) ` +
        'gefunden und dem Dienst gemeldet. Der Schlüssel wurde daher widerrufen. Was ihn ' +
        'verwendet, funktioniert nicht mehr.',
      'Finden Sie heraus, wo das Geheimnis veröffentlicht wurde, und ersetzen Sie den Schlüssel, ' +
        'wo er gebraucht wird:',
      message.link,
    ],
  }),
  account_deleted: () => ({
    subject: 'Ihr Konto wurde gelöscht',
    paragraphs: [
      'Ihr Konto wurde mit Passwort, Passkeys, Sitzungen und Mitgliedschaften gelöscht. ' +
        'Schlüssel, die Ihnen gehörten, funktionieren nicht mehr.',
      'Das lässt sich nicht rückgängig machen. Falls Sie das nicht veranlasst haben, wenden Sie ' +
        'sich an den Betreiber des Dienstes.',
    ],
  }),
  domain_missing: (message) => ({
    subject: 'Der DNS-Eintrag einer Domain fehlt',
    paragraphs: [
      `Ihre Organisation hat ${message.domain} verifiziert, der DNS-Eintrag wurde heute aber ` +
        'nicht gefunden:',
      message.record,
      'Fehlt er drei Tage lang, gilt die Domain nicht mehr als verifiziert: Dort kann sich ' +
        'niemand mehr per SSO anmelden, und eine andere Organisation kann sie verifizieren. ' +
        'Setzen Sie den Eintrag wieder:',
      message.link,
    ],
  }),
  domain_lost: (message) => ({
    subject: 'Eine Domain ist nicht mehr verifiziert',
    paragraphs: [
      `Der DNS-Eintrag von ${message.domain} hat drei Tage gefehlt; Ihre Organisation hat diese ` +
        'Domain daher nicht mehr. Ihre Leute können sich nicht per SSO anmelden, und eine andere ' +
        'Organisation kann die Domain verifizieren.',
      'Um sie zurückzuerhalten, setzen Sie den Eintrag wieder und verifizieren Sie die Domain:',
      message.record,
      message.link,
      'Falls Ihre Organisation nur SSO erlaubt und Sie sich nicht anmelden können, wenden Sie ' +
        'sich an den Betreiber des Dienstes.',
    ],
  }),
  stream_paused: (message) => ({
    subject: 'Das Audit-Log wird nicht mehr übertragen',
    paragraphs: [
      `Der Empfänger des Audit-Logs (${message.receiver}) hat zwei Wochen lang nicht ` +
        'geantwortet, ' +
        'oder 100.000 Ereignisse warten auf ihn. Es wird nichts mehr dorthin gesendet.',
      'Das Audit-Log enthält alle Ereignisse. Wenn der Empfänger wieder arbeitet, richten ' +
        'Sie die ' +
        'Übertragung neu ein: Sie setzt mit dem fort, was gewartet hat.',
      message.link,
    ],
  }),
  provisioned: (message) => ({
    subject: 'Ihr Konto wurde in eine Organisation aufgenommen',
    paragraphs: [
      `Der Identity-Provider von ${quoted(message.organization)} hat Ihr Konto dort zum Mitglied ` +
        'gemacht, weil Ihre E-Mail-Adresse zu einer Domain gehört, die diese Organisation ' +
        'verifiziert hat.',
      'Er kann Sie ab jetzt anmelden und Ihre Mitgliedschaft beenden. Ihr Passwort und Ihre ' +
        'anderen Organisationen bleiben, wie sie sind. Wenn Sie das nicht möchten, verlassen Sie ' +
        'die Organisation:',
      message.link,
    ],
  }),
  admitted: (message) => ({
    subject: 'Ihr Konto ist freigeschaltet',
    paragraphs: ['Ihr Konto wurde freigeschaltet. Melden Sie sich hier an:', message.link],
  }),
  platform_role_changed: (message) => ({
    subject: 'Ihre Plattformrolle wurde geändert',
    paragraphs: [
      message.role === null
        ? 'Ihr Konto hat keine Plattformrolle mehr. Alle Ihre Sitzungen wurden beendet.'
        : `Ihr Konto hat jetzt die Plattformrolle ${roleName(message.role)}. Alle Ihre ` +
          'Sitzungen wurden beendet.',
      message.link,
    ],
  }),
  invitation: (message) => ({
    subject: 'Einladung in eine Organisation',
    paragraphs: [
      `${message.inviter === null ? 'Der Betreiber' : quoted(message.inviter)} lädt Sie zu ` +
        `${quoted(message.organization)} ein:`,
      message.link,
      `Ihre Rolle: ${roleName(message.role)}. Der Link funktioniert einmal, innerhalb von 7 Tagen.`,
    ],
  }),
  spending_alert_test: (message) => ({
    subject: 'Test einer Ausgabenwarnung',
    paragraphs: [
      `Dies ist ein Test der Ausgabenwarnung von ${quoted(message.name)}. ` +
        'Kein Betrag wurde erreicht.',
      message.link,
    ],
  }),
  spending_alert: (message) => ({
    subject: `Ausgabenwarnung: ${message.threshold} erreicht`,
    paragraphs: [
      `${quoted(message.name)} hat in ${message.month} (UTC) ${message.spent} ausgegeben.`,
      `Sie wollten bei ${message.threshold} benachrichtigt werden.`,
      message.link,
    ],
  }),
  ...germanPayments,
}

const ACCOUNT = 'diese Adresse zu einem Konto dort gehört'
const OWNER = 'Sie dort Eigentümer oder Admin einer Organisation sind'
const SIGNED_UP = 'jemand diese Adresse bei einer Registrierung angegeben hat'

const reasons: MailWords['reasons'] = {
  ...topUp.reasons,
  sign_up: SIGNED_UP,
  sign_up_again: SIGNED_UP,
  reset: 'jemand für diese Adresse ein neues Passwort angefordert hat',
  new_address: 'jemand diese Adresse für ein Konto angegeben hat',
  old_address: ACCOUNT,
  password_changed: ACCOUNT,
  factor_changed: ACCOUNT,
  new_device: ACCOUNT,
  key_revoked: ACCOUNT,
  account_deleted: 'diese Adresse zu einem Konto dort gehört hat',
  domain_missing: OWNER,
  domain_lost: OWNER,
  stream_paused: 'Sie dort für das Audit-Log verantwortlich sind',
  provisioned: ACCOUNT,
  admitted: 'diese Adresse dort registriert wurde',
  platform_role_changed: ACCOUNT,
  invitation: 'jemand diese Adresse eingeladen hat',
  spending_alert_test: 'diese Adresse in der Warnung eingetragen ist',
  spending_alert: 'diese Adresse in der Warnung eingetragen ist',
  payment_paid: 'Sie dort Eigentümer einer Organisation sind',
  payment_refunded: 'Sie dort Eigentümer einer Organisation sind',
  credit_expires: 'Sie dort Eigentümer einer Organisation sind',
  invoice_issued: 'Sie dort Eigentümer einer Organisation sind',
  invoice_overdue: 'Sie dort Eigentümer einer Organisation sind',
  invoice_paid: 'Sie dort Eigentümer einer Organisation sind',
  payment_alert: 'Sie den Dienst dort betreiben',
}

const buttons: MailWords['buttons'] = {
  ...topUp.buttons,
  invoice_issued: 'Rechnung bezahlen',
  invoice_overdue: 'Rechnung bezahlen',
  sign_up: 'Bestätigen und Passwort wählen',
  sign_up_again: 'Anmelden',
  reset: 'Neues Passwort setzen',
  new_address: 'Änderung ansehen',
  password_changed: 'Neues Passwort setzen',
  admitted: 'Anmelden',
  invitation: 'Einladung ansehen',
}

export const german: MailWords = {
  compose,
  reasons,
  contactReason:
    'diese Adresse dort ein Abrechnungskontakt der Organisation ist; deren Eigentümer und Admins ' +
    'können das ändern',
  buttons,
  openConsole: 'Konsole öffnen',
  from: (host) => `Headrace auf ${host}`,
  why: (host, reason) => `Sie erhalten diese E-Mail von ${host}, weil ${reason}.`,
}

function quoted(name: string): string {
  return `„${withoutQuotes(name)}“`
}

function roleName(role: string): string {
  return ROLES[role] ?? role
}
