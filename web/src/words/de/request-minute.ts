import type { Translated } from '../translated.ts'
import type * as english from '../request-minute.ts'

// Figures between asterisks are shown in bold.

export const requestMinute: Translated<typeof english.requestMinute> = {
  title: 'In derselben Minute',
  what: 'Die Minute der Anfrage',
  meta: (from) => `Ab ${from}`,
  most: {
    queued: (part, whole) =>
      `Von *${whole}* war das Warten auf einen Slot der längste Teil: *${part}*.`,
    reading: (part, whole) =>
      `Von *${whole}* war die Zeit vom Slot bis zum ersten Token der längste Teil: *${part}*.`,
    answer: (part, whole) =>
      `Von *${whole}* war die Antwort ab dem ersten Token der längste Teil: *${part}*.`,
  },
  notTimed: 'Ihre Zeiten sind nicht bekannt.',
  longer: (median) =>
    `Sie hat länger gedauert als der Median dieses Modells in der Minute, *${median}*.`,
  shorter: (median) =>
    `Sie hat nicht länger gedauert als der Median dieses Modells in der Minute, *${median}*.`,
  table: 'Diese Anfrage neben dem Median ihres Modells',
  part: 'Zeit',
  own: 'Diese Anfrage',
  median: (count) => `Median von ${count}`,
  rows: {
    queued_ms: 'Wartete auf einen Slot',
    first_token_ms: 'Erstes Token',
    duration_ms: 'Dauer',
  },
  facts: {
    began: 'Begonnene Anfragen',
    newest: (count) => `mehr als ${count}; verglichen werden die neuesten ${count}`,
    unfinished: 'Fehlgeschlagen, abgebrochen oder verloren',
    refused: 'Abgelehnt',
    engines: 'Zustände der Engines',
  },
  notKnown: 'nicht bekannt',
  notStored: 'nicht bekannt: Sie werden nicht gespeichert',
}
