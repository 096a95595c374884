import { mediaUrl, type Origin, place, print } from '../json.ts'
import type { MediaRow } from '../records.ts'

/** The `image` member, which clients know without alternative texts: without smaller versions there is no `sizes` (reference §1.2). */
export function imageMember(row: MediaRow | null) {
  if (!row) return false
  const sizes = mediaSizes(row)
  return {
    url: mediaUrl(row.file),
    id: row.id,
    extension: row.extension,
    width: row.width,
    height: row.height,
    filesize: row.filesize,
    ...(Object.keys(sizes).length > 0 && { sizes }),
  }
}

const mediaSizes = (row: MediaRow) =>
  Object.fromEntries(
    Object.entries(row.sizes).map(([name, size]) => [
      name,
      {
        width: size.width,
        height: size.height,
        'mime-type': row.mime_type,
        filesize: size.filesize,
        url: mediaUrl(size.file),
      },
    ]),
  )

/** A media object (D43, R8), as bytes in parts. */
export const mediaV1 = (row: MediaRow, origin: Origin): Buffer[] =>
  place(
    Buffer.from(
      print({
        id: row.id,
        source_url: mediaUrl(row.file),
        url: mediaUrl(row.file),
        author: String(row.author_id),
        date_utc: row.date_utc,
        mime_type: row.mime_type,
        extension: row.extension,
        width: row.width,
        height: row.height,
        filesize: row.filesize,
        sizes: mediaSizes(row),
        alt_texts: row.alt_texts,
      }),
    ),
    origin,
  )
