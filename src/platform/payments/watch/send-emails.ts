import {
  claimEmails,
  forgetEmails,
  giveUpEmails,
  type DueEmail,
} from '../../../store/payments/queued-emails.ts'
import { deliverCounted } from '../../delivery/deliver-counted.ts'
import { sendQueued, type Recipient } from '../../delivery/send-queued.ts'
import type { Environment } from '../../use-case/environment.ts'
import { chooseAddresses } from './choose-addresses.ts'
import { composeEmail } from './compose-email.ts'

/** Sends emails that are due. Returns whether there may be more. */
export async function sendEmails(
  environment: Environment,
  stopping: AbortSignal,
): Promise<boolean> {
  const { database, mailer } = environment
  await forgetEmails(database)
  // Without a mail server everything is shown in the console and in the metrics.
  if (!mailer.configured) {
    await giveUpEmails(database)
    return false
  }
  return sendQueued(environment, { claim: claimEmails, recipientsOf }, stopping)
}

async function recipientsOf(environment: Environment, due: DueEmail): Promise<Recipient[]> {
  const { people, contacts } = await chooseAddresses(environment, due)
  const [email, notice] = [
    await composeEmail(environment, due, false),
    await composeEmail(environment, due, true),
  ]
  const toPerson = (address: string) => ({
    name: address,
    deliver: async () => environment.mailer.deliver(address, email),
  })
  const toContact = (address: string) => ({
    name: address,
    deliver: async () => deliverCounted(environment, address, notice),
  })
  return [...people.map(toPerson), ...contacts.map(toContact)]
}
