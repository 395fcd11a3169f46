import type { Translated } from '../translated.ts'
import type * as english from '../account.ts'

export const account: Translated<typeof english.account> = {
  title: 'Ihr Konto',
  navigation: 'Konto',
  tabs: {
    profile: 'Profil',
    security: 'Sicherheit',
    sessions: 'Sitzungen',
    organizations: 'Organisationen',
  },
  profile: {
    name: 'Name',
    nameHint: 'Für andere Mitglieder Ihrer Organisationen sichtbar.',
    saved: 'Name gespeichert.',
    email: 'E-Mail-Adresse',
    emailText: 'Für Anmeldung und Benachrichtigungen.',
    unverified: 'Nicht bestätigt',
    verified: 'Bestätigt',
    change: 'Adresse ändern',
    newEmail: 'Neue E-Mail-Adresse',
    changeText:
      'Ein Link geht an die neue Adresse, ein Hinweis an die alte. Die Adresse ändert sich, ' +
      'sobald der Link verwendet wird.',
    send: 'Link senden',
    sent: (email) => `Falls ${email} frei ist, ist ein Link unterwegs.`,
    facts: 'Konto',
    id: 'Konto-ID',
    since: 'Mitglied seit',
    terms: 'Akzeptierte Bedingungen',
    termsVersion: (version) => `Version ${version}`,
    none: 'Keine',
  },
  security: {
    factorNeeded: 'Ein zweiter Faktor ist erforderlich.',
    factorNeededText:
      'Der Dienst oder eine Ihrer Organisationen verlangt ihn. Fügen Sie eine Authenticator-App ' +
      'oder einen Passkey hinzu.',
    password: 'Passwort',
    passwordSet: 'Gesetzt. Als Hash gespeichert; Betreiber können es nicht lesen.',
    passwordNone: 'Keines. Sie melden sich mit einem Passkey oder einem Identity-Provider an.',
    passwordChange: 'Passwort ändern',
    passwordAdd: 'Passwort setzen',
    passwordText:
      'Alle anderen Sitzungen enden, und Links, die Ihnen gesendet wurden, funktionieren ' +
      'nicht mehr.',
    passwordNew: 'Neues Passwort',
    passwordHint: 'Mindestens 12 Zeichen. Gängige Passwörter werden abgelehnt.',
    passwordSave: 'Passwort setzen',
    passwordSaved: 'Ihr Passwort ist gesetzt. Alle anderen Sitzungen sind beendet.',
    passkeys: 'Passkeys',
    passkeysText: 'Fingerabdruck, Gesicht oder PIN ersetzen Passwort und Code.',
    passkeysNone: 'Noch keine Passkeys. Mit einem Passkey melden Sie sich ohne Passwort an.',
    passkeyAdd: 'Passkey hinzufügen',
    passkeyName: 'Name des Passkeys',
    passkeyNameHint: 'Zum Beispiel der Name des Geräts.',
    passkeyAdded: (name) => `Der Passkey „${name}“ wurde hinzugefügt.`,
    passkeyRefused:
      'Der Browser hat keinen Passkey erstellt. Versuchen Sie es erneut oder mit einem anderen ' +
      'Gerät.',
    passkeyRemove: 'Passkey entfernen',
    passkeyRemoveText: (name) =>
      `Mit „${name}“ ist ab jetzt keine Anmeldung mehr möglich. Entfernen Sie ihn auch auf ` +
      'dem Gerät.',
    passkeyRemoved: (name) => `Der Passkey „${name}“ wurde entfernt.`,
    synced: 'Zwischen Geräten synchronisiert',
    oneDevice: 'Auf einem Gerät',
    columns: {
      name: 'Name',
      kind: 'Art',
      added: 'Hinzugefügt',
      used: 'Zuletzt benutzt',
      actions: 'Aktionen',
    },
    neverUsed: 'Noch nicht benutzt',
    app: 'Authenticator-App',
    appOn: 'An. Die Anmeldung mit Passwort fragt nach einem Code.',
    appOff: 'Aus. Eine App auf dem Telefon zeigt alle 30 Sekunden einen neuen Code.',
    appAdd: 'App einrichten',
    appRemove: 'App entfernen',
    appRemoveText:
      'Die Anmeldung fragt ab jetzt nicht mehr nach einem Code, und die Wiederherstellungscodes ' +
      'verlieren ihre Gültigkeit.',
    appRemoved: 'Die Authenticator-App wurde entfernt.',
    scan: 'Scannen Sie das Bild mit der App oder tippen Sie das Geheimnis ein.',
    qr: 'QR-Code für die Authenticator-App',
    secret: 'Geheimnis',
    code: 'Code aus der App',
    codeNeeded: 'Geben Sie die sechs Ziffern ein.',
    confirm: 'Bestätigen',
    recovery: 'Wiederherstellungscodes',
    recoveryText:
      'Jeder ersetzt einmal einen Code der App, zum Beispiel wenn das Telefon verloren ist.',
    recoveryNew: 'Neue Codes erzeugen',
    recoveryNewText: 'Die alten Wiederherstellungscodes verlieren sofort ihre Gültigkeit.',
    recoveryShown:
      'Kopieren Sie die Codes jetzt. Wir speichern nur ihre Hashes; sie lassen sich nicht noch ' +
      'einmal anzeigen.',
    recoveryCopy: 'Alle kopieren',
    recoveryDownload: 'Herunterladen',
    recoveryFile: 'headrace-wiederherstellungscodes.txt',
    recoveryDone: 'Ich habe sie gesichert',
  },
  sessions: {
    caption: 'Ihre Sitzungen, neueste zuerst',
    what: 'Sitzungen',
    text: 'Jeder Browser, der in Ihrem Konto angemeldet ist.',
    columns: {
      device: 'Gerät',
      how: 'Angemeldet mit',
      where: 'Von',
      began: 'Beginn',
      seen: 'Zuletzt gesehen',
      actions: 'Aktionen',
    },
    current: 'Diese',
    end: 'Beenden',
    endLabel: (device) => `Sitzung von ${device} beenden`,
    ended: 'Die Sitzung ist beendet.',
    endOthers: 'Alle anderen beenden',
    endOthersText: 'Jeder andere Browser wird bei seiner nächsten Anfrage abgemeldet.',
    endedOthers: 'Alle anderen Sitzungen sind beendet.',
    none: 'Keine Sitzungen',
    unknownDevice: 'Unbekanntes Gerät',
    on: (browser, system) => `${browser} auf ${system}`,
    methods: {
      password: 'Passwort',
      passkey: 'Passkey',
      totp: 'App',
      recovery_code: 'Wiederherstellungscode',
      link: 'Link',
      sso: 'Identity-Provider',
    },
  },
  organizations: {
    caption: 'Ihre Organisationen, neueste zuerst',
    what: 'Organisationen',
    columns: { name: 'Name', role: 'Ihre Rolle', plan: 'Tarif', actions: 'Aktionen' },
    none: 'Sie gehören noch keiner Organisation an',
    noneCreate: 'Erstellen Sie eine oder öffnen Sie den Link einer Einladung.',
    noneInvited:
      'Öffnen Sie den Link einer Einladung oder bitten Sie den Betreiber, eine Organisation zu ' +
      'erstellen.',
    create: 'Organisation erstellen',
    name: 'Name der Organisation',
    slug: 'Name in Adressen',
    slugHint: 'Kleinbuchstaben, Ziffern und Bindestriche. Später nicht änderbar.',
    created: (name) => `${name} wurde erstellt.`,
    leave: 'Verlassen',
    leaveTitle: (name) => `${name} verlassen`,
    leaveLabel: (name) => `${name} verlassen`,
    leaveText:
      'Ihr Zugriff endet sofort. API-Schlüssel, die Ihnen gehören, funktionieren ab der nächsten ' +
      'Anfrage nicht mehr, in jedem Prozess.',
    left: (name) => `Sie haben ${name} verlassen.`,
    roles: { owner: 'Eigentümer', admin: 'Admin', member: 'Mitglied', viewer: 'Betrachter' },
  },
}
