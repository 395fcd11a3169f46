import type { Kysely, Transaction } from 'kysely'
import { noteFirstSignIn } from '../../../store/sign-in/first-sign-ins.ts'
import { findSignIn, type SignInRow } from '../../../store/sign-in/passwords.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Environment, Settings } from '../../use-case/environment.ts'
import { newDeviceId, openDevice, sealDevice, type Device } from '../identity/device-token.ts'
import { pageAddress } from '../accounts/links.ts'
import { createSealer, type Sealer } from '../identity/sealer.ts'

/** Accounts that one browser remembers. A further one makes it forget the one used longest ago. */
export const DEVICES_MAX = 4

/** The part of a client that says which accounts signed in there. */
export type DeviceClient = { readonly deviceTokens: readonly string[] }

type Account = { readonly id: string; readonly email: string }

/** What a sign-in leaves in the browser. */
export type RememberedDevice = {
  /** The tokens of the browser from now on; null leaves them as they are. */
  readonly deviceTokens: readonly string[] | null
  /** Whether the owner is told that a new device signed in. */
  readonly isNews: boolean
}

/**
 * The device of a sign-in, if the account of this address has signed in there before and has the
 * same password still. Nothing is read for tokens that were not made here for this address.
 */
export async function findKnownDevice(
  { database, settings }: Pick<Environment, 'database' | 'settings'>,
  email: string,
  { deviceTokens }: DeviceClient,
): Promise<Device | undefined> {
  const sealer = sealerOf(settings)
  if (sealer === undefined) return undefined
  for (const token of deviceTokens) {
    const device = openDevice(sealer, email, token)
    if (device !== undefined && (await isCurrent(database, email, device))) return device
  }
  return undefined
}

/** Remembers the device of a complete sign-in. Without a signing key nothing is remembered. */
export async function rememberDevice(
  environment: Environment,
  transaction: Transaction<Tables>,
  account: Account,
  client: DeviceClient,
): Promise<RememberedDevice> {
  const { settings, mailer, loginLimits } = environment
  const { id, email } = account
  const known = await findKnownDevice({ database: transaction, settings }, email, client)
  const deviceTokens = await renewDevice(environment, transaction, account, client, known)
  if (deviceTokens === null) return { deviceTokens, isNews: false }
  const isFirst = await noteFirstSignIn(transaction, id)
  const isNew = known === undefined && !isFirst && mailer.configured
  const isNews = isNew && (await loginLimits.attempt({ kind: 'new_device', email })).waitMs === 0
  return { deviceTokens, isNews }
}

/** The tokens of a browser with a new one for this account; null without a signing key. */
export async function renewDevice(
  { settings }: Pick<Environment, 'settings'>,
  transaction: Transaction<Tables>,
  { id: accountId, email }: Account,
  { deviceTokens }: DeviceClient,
  known?: Device,
): Promise<readonly string[] | null> {
  const sealer = sealerOf(settings)
  if (sealer === undefined) return null
  const token = sealDevice(sealer, email, {
    id: known?.id ?? newDeviceId(),
    accountId,
    passwordSetMs: passwordSetMs(await findSignIn(transaction, email)),
    issuedMs: Date.now(),
  })
  const others = deviceTokens.filter((other) => openDevice(sealer, email, other) === undefined)
  return [token, ...others].slice(0, DEVICES_MAX)
}

/** Tells the owner of an account that a device signed in which had not done so before. */
export function tellNewDevice(
  { mailer, settings }: Pick<Environment, 'mailer' | 'settings'>,
  email: string,
  { isNews }: Pick<RememberedDevice, 'isNews'>,
): void {
  if (!isNews) return
  mailer.send(email, { kind: 'new_device', link: pageAddress(settings, 'account/security') })
}

/** The address may belong to another account by now. */
async function isCurrent(
  database: Kysely<Tables>,
  email: string,
  device: Device,
): Promise<boolean> {
  const account = await findSignIn(database, email)
  return account?.id === device.accountId && passwordSetMs(account) === device.passwordSetMs
}

function passwordSetMs(account: SignInRow | undefined): number | null {
  return account?.password_set_at?.getTime() ?? null
}

/** Undefined without a signing key: sign-ins work without it, as from new devices. */
function sealerOf(settings: Settings): Sealer | undefined {
  const { signing_key: current, accepted_signing_keys: accepted } = settings
  return current === undefined ? undefined : createSealer([current, ...accepted], 'device')
}
