import { BookOpen, Building2, CreditCard, Hourglass, Server, Ticket } from 'lucide-react'

/** The icons of pages that only operators have. */
export const operatorIcons = {
  ledger: BookOpen,
  payments: CreditCard,
  engines: Server,
  organizations: Building2,
  waiting: Hourglass,
  vouchers: Ticket,
} as const
