export const confirm = {
  title: 'Confirm that it is you',
  text: 'This action needs a confirmation that is not older than ten minutes.',
  password: 'Password',
  code: 'Code of the app',
  submit: 'Confirm',
  passkey: 'Use a passkey',
  useCode: 'Use a code of the app',
  usePassword: 'Use the password',
  sso: (name: string) => `Confirm with ${name}`,
  ssoText: 'You come back to this page. Then repeat what you were doing.',
  or: 'or',
  none: 'This account has no way to confirm. Sign in again.',
} as const
