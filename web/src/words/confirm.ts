export const confirm = {
  title: 'Confirm it’s you',
  text: 'This action needs a confirmation from the last ten minutes.',
  password: 'Password',
  code: 'Code from the app',
  submit: 'Confirm',
  passkey: 'Use a passkey',
  useCode: 'Use a code from the app',
  usePassword: 'Use the password',
  sso: (name: string) => `Confirm with ${name}`,
  ssoText: 'You come back to this page. Then repeat what you were doing.',
  or: 'or',
  none: 'This account has no way to confirm. Sign in again.',
} as const
