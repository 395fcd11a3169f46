export const suspension = {
  suspend: 'Suspend organization',
  title: (name: string) => `Suspend ${name}?`,
  text:
    'Its API keys and its playground get 403 from the next request on. Members still get into ' +
    'the console, where they read the reason. Nothing is deleted, and you can lift it.',
  reason: 'Reason',
  reasonHint: 'All members read it.',
  suspended: (name: string) => `${name} is suspended.`,
  since: (time: string, reason: string) => `Suspended since ${time}: ${reason}`,
  lift: 'Lift suspension',
  liftTitle: (name: string) => `Lift the suspension of ${name}?`,
  liftText: 'Its API keys and its playground work again from the next request on.',
  lifted: (name: string) => `The suspension of ${name} was lifted.`,
  tag: 'Suspended',
} as const
