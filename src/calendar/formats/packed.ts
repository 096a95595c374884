import { openPacking } from '../../kernel/database/packing.ts'

/**
 * What stored documents have in common: an event as v1 JSON and JSON-LD have it, with what is most frequent. It is no more than a help: members that are not in
 * here are stored in full. Whoever changes it raises `DERIVATION`, because stored documents refer to it.
 */
const COMMON =
  '{"@context":"http://schema.org","@type":"Event","name":"","description":"","image":"\u0001/media/2026/","url":"\u0001/event/","eventAttendanceMode":"https://schema.org/OnlineEventAttendanceMode","eventStatus":"https://schema.org/EventScheduled","startDate":"2026-11-20T09:00:00+01:00","endDate":"2026-11-20T10:00:00+01:00","offers":{"@type":"Offer","price":"","priceCurrency":"EUR","url":"\u0001/event/","category":"primary","availability":"inStock","validFrom":"2026-11-20T09:00:00+00:00"},"performer":"Organization","location":{"@type":"VirtualLocation","url":"https://' +
  '"eventAttendanceMode":"https://schema.org/OfflineEventAttendanceMode",' +
  '{"id":1,"global_id":"\u0004?id=1","global_id_lineage":["\u0004?id=1"],"author":"1","status":"publish","date":"2026-11-20 09:00:00","date_utc":"2026-11-20 09:00:00","modified":"2026-11-20 09:00:00","modified_utc":"2026-11-20 09:00:00","url":"\u0001/event/a/","language":"en","rest_url":"\u0002/events/1","title":"","description":"<p></p>\\n<p></p>\\n","excerpt":"","slug":"","image":{"url":"\u0001/media/","id":1,"extension":"jpg","width":1,"height":1,"filesize":1,"sizes":{},"image":false,"all_day":false,' +
  '"start_date":"2026-11-20 09:00:00","start_date_details":{"year":"2026","month":"11","day":"20","hour":"09","minutes":"00","seconds":"00"},"end_date":"2026-11-20 10:00:00","end_date_details":{"year":"2026","month":"11","day":"20","hour":"10","minutes":"00","seconds":"00"},"utc_start_date":"2026-11-20 09:00:00","utc_start_date_details":{"year":"2026","month":"11","day":"20","hour":"09","minutes":"00","seconds":"00"},"utc_end_date":"2026-11-20 10:00:00","utc_end_date_details":{"year":"2026","month":"11","day":"20","hour":"10","minutes":"00","seconds":"00"},"timezone":"Europe/Madrid","timezone_abbr":"CEST","timezone":"UTC","timezone_abbr":"UTC","cost":"","cost_details":{"currency_symbol":"€","currency_code":"EUR","currency_position":"prefix","values":["10","20"]},"cost":"","cost_details":{"currency_symbol":"","currency_code":"","currency_position":"","values":[]},' +
  '"website":"","show_map":true,"show_map_link":true,"hide_from_listings":false,"sticky":false,"featured":false,"ticketed":false,"event_status":"scheduled","attendance_mode":"offline","virtual_url":"","event_status_reason":"","previous_start_date":"","post_parent":0'

const { pack, unpack } = openPacking(Buffer.from(COMMON))

/** The parts of a document that are packed where it is stored. */
type Parts = { refs: object | null; body: Buffer; blanked: Buffer | null; json_ld: Buffer }

/** A document as it is stored. The JSON-LD of an event has the texts of its body. */
export const packed = <D extends Parts>(document: D): D => ({
  ...document,
  body: pack(document.body),
  blanked: document.blanked && pack(document.blanked),
  json_ld: pack(document.json_ld, document.refs ? document.body : undefined),
})

/** A part of a document from how it is stored, of the JSON-LD of an event with its body; undefined if it is damaged. */
export const unpacked = (part: unknown, body?: Buffer): Buffer | undefined =>
  Buffer.isBuffer(part) ? unpack(part, body) : undefined

/** A document from how it is stored; its parts are undefined if they are damaged. */
export function unpackedDocument<D extends Parts>(document: D) {
  const body = unpacked(document.body)
  return {
    ...document,
    body,
    blanked: document.blanked && unpacked(document.blanked),
    json_ld: unpacked(document.json_ld, document.refs ? body : undefined),
  }
}
