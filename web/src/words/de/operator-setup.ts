import type { Translated } from '../translated.ts'
import type * as english from '../operator-setup.ts'

export const operatorSetup: Translated<typeof english.operatorSetup> = {
  title: 'Dienst einrichten',
  sub: 'Fünf Schritte. Jeder wird abgehakt, sobald die laufenden Prozesse ihn melden.',
  hide: 'Ausblenden',
  engine: 'Engine anschließen',
  engineText:
    'Eine Engine ist ein Server, der ein Modell ausführt. Ergänzen Sie dies in der ' +
    'Konfigurationsdatei und führen Sie dann headrace reload aus.',
  engineKind: 'Server',
  engineUrl: 'Adresse',
  engineSlots: 'Slots',
  engineSlotsHint: 'Gleichzeitige Anfragen, wie die Engine gestartet wurde.',
  engineYaml: 'Konfiguration der Engine',
  unseen:
    'Diese Konsole sieht keinen API-Prozess. Tragen Sie die Health-Ports aller Prozesse in ihre ' +
    'Konfiguration ein, damit sie Engines anzeigen kann:',
  unseenYaml: 'Konfiguration der Konsole',
  notReady: (engine, state) => `${engine}: ${state}.`,
  ready: (engine, kind, slots) => `${engine}: ${kind}, ${slots} Slots.`,
  found: 'Alle erforderlichen Fähigkeiten funktionieren.',
  missing: (names) => `Funktioniert nicht: ${names}.`,
  showEngines: 'Engines anzeigen',
  model: 'Modell anbieten',
  modelText:
    'Clients fordern ein Modell mit seiner ID an. Tarife mit „models: all“ bieten es sofort an; ' +
    'in anderen Tarifen nennen Sie es.',
  modelId: 'Modell-ID',
  modelYaml: 'Konfiguration des Modells',
  served: (models) => `Konfiguriert: ${models}.`,
  test: 'Ausprobieren',
  testText:
    'Senden Sie eine Nachricht aus dem Playground. Die Anfrage zeigt dann jeden ihrer Schritte.',
  tested: 'Eine Anfrage wurde beantwortet.',
  toPlayground: 'Playground öffnen',
  noOrganization:
    'Sie gehören keiner Organisation an. Erstellen Sie eine mit sich selbst als Eigentümer.',
  toOrganizations: 'Organisationen',
  access: 'Leute hereinlassen',
  accessFacts: {
    public_url: {
      has: 'Browser erreichen die Konsole über https.',
      lacks: 'Setzen Sie console.public_url auf die https-Adresse der Konsole.',
    },
    api_url: {
      has: 'Beispiele und Playground kennen die Adresse der API.',
      lacks: 'Setzen Sie console.api_url auf die öffentliche Adresse der API.',
    },
    email_from: {
      has: 'E-Mails werden gesendet.',
      lacks:
        'Setzen Sie console.email_from und HEADRACE_SMTP_URL, damit Einladungen per E-Mail ' +
        'ankommen.',
    },
    contact: {
      has: 'Man weiß, wie Sie erreichbar sind.',
      lacks: 'Setzen Sie console.contact, damit man Sie um Zugang und Guthaben bitten kann.',
    },
  },
  signUp: {
    closed: 'Die Registrierung ist geschlossen: nur auf Einladung (console.sign_up).',
    waiting: 'Alle können sich registrieren und warten dann auf Freischaltung (console.sign_up).',
    open: 'Alle können sich registrieren und eine Organisation erstellen (console.sign_up).',
  },
  operators: 'Eigenes Konto schützen',
  hasFactor: 'Sie haben einen zweiten Faktor.',
  addFactor: 'Zweiten Faktor hinzufügen',
  lacksFactor: 'Ihr Passwort allein öffnet hier alles.',
  hasOthers: 'Es gibt einen weiteren Betreiber.',
  lacksOthers:
    'Sie sind der einzige Betreiber. Wenn Sie Ihren Zugang verlieren, hilft nur noch jemand mit ' +
    'einer Shell auf dem Server. Ernennen Sie einen zweiten: headrace account create EMAIL ' +
    '--operator.',
}
