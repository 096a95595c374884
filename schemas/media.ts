import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

export const Media = Type.Object(
  {
    id: c.Id('media file'),
    source_url: Type.String({ format: 'uri', description: 'The full picture.' }),
    url: Type.String({ format: 'uri', description: 'The same.' }),
    author: Type.String({ description: 'ID of the user who uploaded it, as a text.' }),
    date_utc: output.DateText('Time of the upload in UTC'),
    mime_type: Type.String({ examples: ['image/jpeg'] }),
    extension: Type.String({ examples: ['jpg'] }),
    width: Type.Integer({ description: 'Pixels.' }),
    height: Type.Integer({ description: 'Pixels.' }),
    filesize: Type.Integer({ description: 'Bytes.' }),
    sizes: Type.Record(Type.String(), Type.Ref('ImageSize'), { description: 'Smaller versions by name.' }),
  },
  { $id: 'Media', description: 'An uploaded image with its smaller versions.' },
)

export const MediaUpload = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'The picture: JPEG, PNG, GIF, WebP or AVIF, 10 MiB at most.',
    }),
  },
  { $id: 'MediaUpload', description: 'A multipart form with one file.' },
)

export const MediaQuery = Type.Object({ ...c.Paging })
export type MediaQuery = Static<typeof MediaQuery>
export const MediaPage = output.Page('MediaPage', 'media', Type.Ref('Media'))
