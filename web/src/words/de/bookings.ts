import type { Translated } from '../translated.ts'
import type * as english from '../bookings.ts'

export const bookings: Translated<typeof english.bookings> = {
  service: 'Der Dienst',
  reasons: {
    payment: { in: 'Eingezahlt', out: 'Zahlung storniert' },
    refund: { in: 'Erstattung storniert', out: 'Erstattet' },
    dispute: { in: 'Von der Bank zurückgegeben', out: 'Von der Bank zurückgeholt' },
    invoice: { in: 'In Rechnung gestellt', out: 'Rechnung storniert' },
    expiry: { in: 'Verfall storniert', out: 'Verfallen' },
    voucher: { in: 'Gutschein eingelöst', out: 'Gutschein zurückgenommen' },
  },
}
