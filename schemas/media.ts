import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

export const Media = Type.Object(
  {
    id: c.Id('media file'),
    source_url: Type.String({ format: 'uri', description: 'URL of the image in its original size.' }),
    url: Type.String({ format: 'uri', description: 'The same URL as `source_url`.' }),
    author: Type.String({ description: 'ID of the user who uploaded the image, as a string.' }),
    date_utc: output.DateText('Time of the upload in UTC'),
    mime_type: Type.String({ description: 'Media type of the file.', examples: ['image/jpeg'] }),
    extension: Type.String({ description: 'Extension of the file name, without a dot.', examples: ['jpg'] }),
    width: Type.Integer({ description: 'Width of the image in pixels.' }),
    height: Type.Integer({ description: 'Height of the image in pixels.' }),
    filesize: Type.Integer({ description: 'Size of the file in bytes.' }),
    sizes: Type.Record(Type.String(), Type.Ref('ImageSize'), {
      description:
        'Smaller versions of the image by name: `thumbnail`, `medium`, `medium_large` and `large`, as far as the image is larger.',
    }),
  },
  { $id: 'Media', description: 'An uploaded image with its smaller versions.' },
)

export const MediaUpload = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'The image: JPEG, PNG, GIF, WebP or AVIF, at most 10 MiB.',
    }),
  },
  { $id: 'MediaUpload', description: 'A multipart form with one file.' },
)

export const MediaQuery = Type.Object({ ...c.Paging })
export type MediaQuery = Static<typeof MediaQuery>
export const MediaPage = output.Page('MediaPage', 'media', Type.Ref('Media'))
