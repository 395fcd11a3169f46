import { createTransport } from 'nodemailer'

/** Connects and signs in to the SMTP server, and sends nothing. Throws if either fails. */
export async function verifySmtp(smtpUrl: string, timeoutMs: number): Promise<void> {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}
