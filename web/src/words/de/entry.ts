import type { Translated } from '../translated.ts'
import type * as english from '../entry.ts'

export const entry: Translated<typeof english.entry> = {
  email: 'E-Mail-Adresse',
  emailNeeded: 'Geben Sie eine E-Mail-Adresse ein.',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: 'Mindestens 12 Zeichen. Gängige Passwörter werden abgelehnt.',
  or: 'oder',
  continue: 'Weiter',
  waterway: {
    label:
      'Schnitt durch einen Triebwasserkanal. Der Rechen steht für Schlüssel, das Schütz für ' +
      'Limits und Guthaben, der Kanal für Streams, das Wasserschloss für die faire ' +
      'Warteschlange, die Turbine für Engines, der Unterwasserkanal für das Hauptbuch.',
    motto: 'Bringt das Wasser zur Turbine: gleichmäßig und nie mehr, als sie aufnehmen kann.',
    head: 'Fallhöhe',
    slope: '1 : 2000',
    screen: ['Rechen', 'Schlüssel'],
    gate: ['Schütz', 'Limits und Guthaben'],
    race: ['Kanal', 'Streams'],
    forebay: ['Wasserschloss', 'faire Warteschlange'],
    turbine: ['Turbine', 'Engines'],
    tailrace: ['Unterwasser', 'Hauptbuch'],
  },
  signIn: {
    title: 'Anmelden',
    to: (host) => `bei der Konsole von ${host}`,
    submit: 'Anmelden',
    change: 'Ändern',
    passkey: 'Passkey verwenden',
    sso: (name) => `Weiter mit ${name}`,
    ssoOnly: 'Ihre Organisation verlangt die Anmeldung über ihren Identity-Provider.',
    forgot: 'Passwort vergessen?',
    noAccount: 'Noch kein Konto?',
    signUp: 'Registrieren',
    approved: 'Neue Konten werden von einem Betreiber freigeschaltet.',
    linkUsed: 'Dieser Link wurde bereits verwendet oder ist abgelaufen.',
    linkWorks: 'Sie werden angemeldet …',
  },
  ssoErrors: {
    invalid:
      'Die Anmeldung hat zu lange gedauert oder wurde schon verwendet. Versuchen Sie es erneut.',
    email_unverified: 'Der Identity-Provider hat Ihre E-Mail-Adresse nicht verifiziert.',
    domain_unverified:
      'Ihre Organisation hat die Domain Ihrer E-Mail-Adresse nicht verifiziert. Wenden Sie sich ' +
      'an ihren Eigentümer.',
    not_a_member:
      'Ein Konto mit dieser Adresse gibt es, es ist aber kein Mitglied der Organisation. Bitten ' +
      'Sie deren Eigentümer um eine Einladung.',
    account_restricted: 'Dieses Konto ist gesperrt.',
    other_person:
      'Beim Identity-Provider hat sich eine andere Person angemeldet. Versuchen Sie es erneut.',
    other_session: 'Dieser Browser war in einem anderen Konto angemeldet. Versuchen Sie es erneut.',
  },
  otherSession: {
    title: 'Sie sind bereits angemeldet',
    who: (email) => `Dieser Browser ist als ${email} angemeldet.`,
    text:
      'Der Identity-Provider hat ein anderes Konto genannt, daher wurde nichts geändert. Um ' +
      'jenes ' +
      'Konto zu verwenden, melden Sie sich zuerst ab.',
    stay: 'Angemeldet bleiben',
    signOut: 'Abmelden',
  },
  factor: {
    title: 'Zweiter Faktor',
    text: 'Geben Sie den Code ein, den Ihre Authenticator-App zeigt.',
    code: 'Code aus der App',
    codeNeeded: 'Geben Sie die sechs Ziffern ein.',
    recovery: 'Wiederherstellungscode',
    recoveryText: 'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder gilt einmal.',
    useRecovery: 'Wiederherstellungscode verwenden',
    useApp: 'Authenticator-App verwenden',
    passkey: 'Passkey verwenden',
    submit: 'Anmelden',
    back: 'Neu beginnen',
  },
  enrol: {
    title: 'Zweiten Faktor einrichten',
    text: 'Dieser Dienst verlangt ihn für Ihr Konto. Es dauert eine Minute.',
    app: 'Authenticator-App',
    passkey: 'Passkey auf diesem Gerät',
    passkeyText: 'Fingerabdruck, Gesicht oder PIN ersetzen Passwort und Code.',
    goOn: 'Weiter zur Konsole',
  },
  signUp: {
    title: 'Registrieren',
    byMail: 'Sie erhalten eine E-Mail mit einem Link, über den Sie ein Passwort wählen.',
    byMailWaiting:
      'Sie erhalten eine E-Mail mit einem Link, über den Sie ein Passwort wählen. Danach ' +
      'schaltet ' +
      'ein Betreiber das Konto frei.',
    here: 'Wählen Sie ein Passwort und melden Sie sich dann an.',
    hereWaiting:
      'Wählen Sie ein Passwort und warten Sie, bis ein Betreiber das Konto freischaltet.',
    submit: 'Registrieren',
    haveAccount: 'Bereits ein Konto?',
    signIn: 'Anmelden',
    sentTitle: 'Prüfen Sie Ihren Posteingang',
    sent: (email) =>
      `Falls ${email} ein Konto haben kann, ist eine E-Mail mit einem Link unterwegs. Der Link ` +
      'gilt 24 Stunden.',
    sentInvited: 'Der Link führt Sie zu Ihrer Einladung zurück.',
    otherAddress: 'Andere Adresse verwenden',
    sentLost:
      'Nichts angekommen? Sehen Sie im Spam-Ordner nach oder registrieren Sie sich in ein paar ' +
      'Minuten erneut.',
    madeTitle: 'Sie können sich jetzt anmelden',
    made: (email) => `Falls ${email} ein Konto haben kann, gibt es das Konto jetzt.`,
    closedTitle: 'Die Registrierung ist geschlossen',
    closed: 'Konten gibt es hier nur auf Einladung. Bitten Sie eine Organisation darum.',
  },
  completeSignUp: {
    title: 'Passwort wählen',
    text: (email) => `für Ihr Konto ${email}.`,
    submit: 'Konto erstellen',
    done: 'Ihr Konto ist bereit',
    used: 'Dieser Link wurde bereits verwendet oder ist abgelaufen',
    usedText:
      'Falls Sie ihn schon verwendet haben, melden Sie sich an. Sonst registrieren Sie sich ' +
      'erneut, um einen neuen zu erhalten.',
  },
  verify: {
    title: 'E-Mail-Adresse ändern',
    text: 'Prüfen Sie, ob das Ihr Konto ist.',
    account: 'Konto',
    address: 'Neue Adresse',
    notYou: 'Wenn das Konto nicht Ihres ist, schließen Sie diese Seite: Es ändert sich nichts.',
    submit: 'Neue Adresse verwenden',
    done: 'Die Adresse wurde geändert',
    doneText: 'Melden Sie sich ab jetzt mit der neuen Adresse an.',
    used: 'Dieser Link wurde bereits verwendet oder ist abgelaufen',
    usedText: 'Ihr Profil zeigt die Adresse Ihres Kontos. Dort gibt es auch einen neuen Link.',
    toConsole: 'Zur Konsole',
    missing: 'Öffnen Sie den Link aus der E-Mail, die wir gesendet haben.',
  },
  reset: {
    title: 'Neues Passwort setzen',
    ask:
      'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten einen Link, der ein neues Passwort ' +
      'setzt.',
    submit: 'Link senden',
    sentTitle: 'Prüfen Sie Ihren Posteingang',
    sent: (email) =>
      `Falls ${email} ein Konto hat, ist eine E-Mail mit einem Link unterwegs. Der Link gilt ` +
      '24 Stunden.',
    choose: 'Alle Ihre Sitzungen enden. Melden Sie sich danach mit dem neuen Passwort an.',
    set: 'Passwort setzen',
    done: 'Ihr Passwort ist gesetzt',
    doneText: 'Alle Ihre Sitzungen sind beendet. Melden Sie sich mit dem neuen Passwort an.',
    left: 'Hiermit ist die Anmeldung weiter möglich. Entfernen Sie, was Sie nicht kennen:',
    leftLabel: 'Womit die Anmeldung weiter möglich ist',
    passkey: 'Passkey „{name}“, hinzugefügt am {time}',
    app: 'Authenticator-App, nach dem Passwort abgefragt',
    look: 'Anmelden und ansehen',
    removed:
      'Passkeys und Authenticator-Apps, die vor der Bestätigung Ihrer Adresse hinzugefügt ' +
      'wurden, ' +
      'sind entfernt. Fügen Sie Ihre eigenen wieder hinzu.',
    used: 'Dieser Link wurde bereits verwendet oder ist abgelaufen. Fordern Sie einen neuen an.',
    back: 'Zurück zur Anmeldung',
  },
  join: {
    title: (organization) => `${organization} beitreten`,
    loading: 'Einladung',
    invites: (who) => `${who} lädt Sie ein.`,
    operator: 'Der Betreiber dieses Dienstes',
    organization: 'Organisation',
    role: 'Ihre Rolle',
    address: 'Ihre Adresse',
    ends: 'Gültig bis',
    roles: {
      owner: 'Eigentümer: alles, auch Mitglieder und Abrechnung',
      admin: 'Admin: Schlüssel, Projekte, Mitglieder und Einstellungen',
      member: 'Mitglied: eigene Schlüssel, Playground, Nutzung',
      viewer: 'Betrachter: sieht alles außer Einstellungen, ändert nichts',
    },
    accept: 'Annehmen und beitreten',
    create: 'Konto erstellen und beitreten',
    known: {
      sign_in: 'Diese Adresse hat ein Konto.',
      sso: 'Melden Sie sich zum Annehmen über Ihren Identity-Provider an.',
    },
    signIn: 'Zum Annehmen anmelden',
    signUp: 'Konto erstellen',
    otherAccount: (email) =>
      `Sie sind als ${email} angemeldet. Die Einladung gilt für eine andere Adresse.`,
    signOut: 'Abmelden',
    gone: 'Diese Einladung wurde bereits verwendet oder ist abgelaufen',
    goneText: 'Bitten Sie, wer Sie eingeladen hat, um eine neue.',
    toConsole: 'Zur Konsole',
    joined: (organization) => `Sie sind Mitglied von ${organization}.`,
  },
  waiting: {
    title: 'Sie stehen auf der Warteliste',
    since: '{email} wartet seit {time}.',
    next:
      'Ein Betreiber dieses Dienstes prüft jede Registrierung. Sie erhalten eine E-Mail, sobald ' +
      'Ihr Konto freigeschaltet ist; dann schließen Sie die Registrierung ab und erstellen Ihren ' +
      'ersten API-Schlüssel.',
    note: 'Nachricht an den Betreiber',
    noteHint: 'Wer Sie sind, oder wofür Sie den Dienst nutzen möchten.',
    saveNote: 'Nachricht speichern',
    noteSaved: 'Die Nachricht ist gespeichert.',
    noMail: 'Diese Seite sieht alle 30 Sekunden nach.',
    signOut: 'Abmelden',
  },
  restricted: {
    title: 'Dieses Konto ist gesperrt',
    text:
      'Es kann derzeit nicht verwendet werden. Wenden Sie sich an den Betreiber dieses ' +
      'Dienstes.',
    signIn: 'Mit einem anderen Konto anmelden',
  },
  welcome: {
    title: 'Registrierung abschließen',
    text: 'Das wird nur einmal gefragt.',
    name: 'Ihr Name',
    nameHint: 'Für andere Mitglieder sichtbar.',
    acceptTerms: 'Ich akzeptiere die {terms}',
    termsLink: (version) => `Bedingungen, Version ${version}`,
    organization: 'Organisation',
    create: 'Neu erstellen',
    invited: 'Ich wurde eingeladen',
    invitedText: 'Schließen Sie hier ab und öffnen Sie dann den Link Ihrer Einladung erneut.',
    onlyInvited:
      'Betreiber erstellen die Organisationen dieses Dienstes. Öffnen Sie danach den Link Ihrer ' +
      'Einladung.',
    memberOf: (names) => `Sie sind Mitglied von ${names}.`,
    submit: 'Abschließen',
  },
}
