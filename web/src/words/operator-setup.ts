const access = {
  public_url: {
    has: 'Browsers reach the console over https.',
    lacks: 'Set console.public_url to the https address of the console.',
  },
  api_url: {
    has: 'Examples and playground know the address of the API.',
    lacks: 'Set console.api_url to the public address of the API.',
  },
  email_from: {
    has: 'Email is sent.',
    lacks: 'Set console.email_from and HEADRACE_SMTP_URL, so that invitations arrive by email.',
  },
  contact: {
    has: 'People know how to reach you.',
    lacks: 'Set console.contact, so that people can ask you for access and money.',
  },
}

export const operatorSetup = {
  title: 'Set up the service',
  sub: 'Five steps. Each is checked off as soon as the running processes report it.',
  hide: 'Hide',
  engine: 'Connect an engine',
  engineText:
    'An engine is a server that runs a model. Add this to the configuration file, then run ' +
    'headrace reload.',
  engineKind: 'Server',
  engineUrl: 'Address',
  engineSlots: 'Slots',
  engineSlotsHint: 'Requests at the same time, as the engine was started.',
  engineYaml: 'Configuration of the engine',
  unseen:
    'This console sees no API process. Name the health ports of all processes in its ' +
    'configuration, so that it can show engines:',
  unseenYaml: 'Configuration of the console',
  notReady: (engine: string, state: string) => `${engine}: ${state}.`,
  ready: (engine: string, kind: string, slots: string) => `${engine}: ${kind}, ${slots} slots.`,
  found: 'All required capabilities work.',
  missing: (names: string) => `Does not work: ${names}.`,
  showEngines: 'Show engines',
  model: 'Offer a model',
  modelText:
    'Clients ask for a model by its id. Plans with models: all offer it at once; in other plans, ' +
    'name it.',
  modelId: 'Model id',
  modelYaml: 'Configuration of the model',
  served: (models: string) => `Configured: ${models}.`,
  test: 'Test it',
  testText: 'Send a message from the playground. Its request then shows every step it took.',
  tested: 'A request was answered.',
  toPlayground: 'Open the playground',
  noOrganization: 'You are in no organization. Create one with yourself as its owner.',
  toOrganizations: 'Organizations',
  access: 'Let people in',
  accessFacts: access,
  signUp: {
    closed: 'Sign-up is closed: only invited people come in (console.sign_up).',
    waiting: 'Anyone may sign up and then waits for you to admit them (console.sign_up).',
    open: 'Anyone may sign up and create an organization (console.sign_up).',
  },
  operators: 'Protect your own account',
  hasFactor: 'You have a second factor.',
  addFactor: 'Add a second factor',
  lacksFactor: 'Your password alone opens everything here.',
  hasOthers: 'There is another operator.',
  lacksOthers:
    'You are the only operator. If you lose your access, only somebody with a shell on the ' +
    'server can help. Make a second one: headrace account create EMAIL --operator.',
} as const
